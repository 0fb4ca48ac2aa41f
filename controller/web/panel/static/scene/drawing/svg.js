// Creates SVG elements and writes their attributes. One unit of the picture is a millimetre.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** An SVG element with attributes, appended to `parent` if one is given. */
export function element(name, attributes = {}, parent = undefined) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.appendChild(made);
  return made;
}

/** Millimetres of the picture from metres of the table, along x and along y (down). */
export const across = (metres) => Math.round(metres * 10000) / 10;
export const down = (metres) => Math.round(-metres * 10000) / 10;

/** A text element; `content` is never read as markup. */
export function text(content, attributes, parent) {
  const made = element("text", attributes, parent);
  made.textContent = content;
  return made;
}

/** Writes an attribute only if it differs from the value written last. */
export function write(target, name, value) {
  const written = (target.written ??= {});
  if (written[name] === value) return;
  written[name] = value;
  target.setAttribute(name, value);
}

/** Writes the text of an element only if it changed. */
export function writeText(target, content) {
  if (target.textContent !== content) target.textContent = content;
}
