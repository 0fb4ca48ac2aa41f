/** Picture of the table. This module draws nothing yet except the outline of the table. */

/**
 * Draw the table into an SVG element. `geometry` is the table's geometry, or null if it is not
 * known. Returns {update(status), event(event), destroy()}.
 */
export function mountTable(svg, geometry) {
  const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  svg.setAttribute("viewBox", "0 0 100 100");
  for (const [name, value] of Object.entries({ x: 4, y: 4, width: 92, height: 92, rx: 8 })) {
    frame.setAttribute(name, String(value));
  }
  frame.setAttribute("class", geometry ? "table-outline known" : "table-outline");
  svg.append(frame);
  return {
    update() {},
    event() {},
    destroy() {
      svg.replaceChildren();
    },
  };
}
