/** Arrow keys in a grid of tiles or choices: the key moves to the nearest one in its direction. */

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** How much more a deviation across the direction counts than the way along it. */
const ACROSS = 3;

const middle = (element) => {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};

/**
 * Handle a key in a group whose items match `selector`. Returns the item to which the keyboard has
 * moved; null if the key is no arrow, or if no item lies there. At the end of a row, the key goes on
 * with the next one.
 */
export function moveInGrid(event, selector) {
  const way = DIRECTIONS[event.key];
  if (!way || !event.target.matches(selector) || event.altKey || event.ctrlKey || event.metaKey) return null;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll(selector)].filter(
    (item) => !item.disabled && item.getClientRects().length,
  );
  const next = items[items.indexOf(event.target) + way[0]] ?? null;
  const found = nearest(event.target, items, way) ?? (way[0] ? next : null);
  found?.focus();
  return found;
}

function nearest(from, items, [right, down]) {
  const [x, y] = middle(from);
  const row = from.getBoundingClientRect().height / 2;
  let found = null;
  let least = Infinity;
  for (const item of items) {
    const [otherX, otherY] = middle(item);
    const along = (otherX - x) * right + (otherY - y) * down;
    const across = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
    // Sideways, a key stays in its row; up and down, the items of two rows need not be aligned.
    if (along <= 2 || (right && across > row)) continue;
    if (along + ACROSS * across < least) [found, least] = [item, along + ACROSS * across];
  }
  return found;
}
