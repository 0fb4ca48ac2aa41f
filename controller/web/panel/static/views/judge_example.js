/** Reads the judge's examples, which are YAML of one line a key: scalars, and lists in brackets. */

/** The values of an example; comments and the key `game` are left out. */
export function readExample(text) {
  const values = {};
  for (const line of text.split("\n")) {
    const found = /^(\w+):\s*(.+)$/.exec(line.replace(/\s+#.*$/, ""));
    if (found && found[1] !== "game") values[found[1]] = readValue(found[2].trim());
  }
  return values;
}

/** One value: a list in brackets, a number, a truth value or a text. */
function readValue(text) {
  if (text.startsWith("[")) return readList(text).value;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  return text.replace(/^(["'])(.*)\1$/, "$2");
}

/** A list that begins at the start of `text`; returns it and the text behind it. */
function readList(text) {
  const value = [];
  let rest = text.slice(1).trim();
  while (rest && !rest.startsWith("]")) {
    if (rest.startsWith("[")) {
      const inner = readList(rest);
      value.push(inner.value);
      rest = inner.rest;
    } else {
      const end = rest.search(/[,\]]/);
      value.push(readValue(rest.slice(0, end).trim()));
      rest = rest.slice(end);
    }
    rest = rest.replace(/^\s*,\s*/, "").trim();
  }
  return { value, rest: rest.slice(1).trim() };
}
