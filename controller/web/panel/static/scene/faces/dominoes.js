// Faces of dominoes (24 x 48) and of Chinese dominoes for pai gow (25 x 52).

export const DOMINO_BOX = { width: 24, length: 48 };
export const CHINESE_BOX = { width: 25, length: 52 };

const INK = "#1d2830";
const RED = "#e2483a";
const WHITE = "#f6f2e6";

/** Pips of each number on a grid from -1 to 1 in both directions. */
const PIPS = {
  0: [],
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

function half(number, y) {
  return PIPS[number]
    .map(([across, along]) => `<circle cx="${12 + across * 6}" cy="${y + along * 6}" r="2.7" fill="${INK}"/>`)
    .join("");
}

function parse(face) {
  const found = /^([0-6])-([0-6])$/.exec(face);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

/** The markup of a domino, or undefined for another notation. */
export function dominoFace(face) {
  const halves = parse(face);
  if (!halves) return undefined;
  return (
    half(halves[0], 12) + half(halves[1], 36) +
    `<path d="M4 24H20" stroke="${INK}" stroke-width="1.5" stroke-linecap="round"/>`
  );
}

/** Pips of Chinese dominoes; two pips are in the middle line. */
const CHINESE = { ...PIPS, 2: [[0, -0.75], [0, 0.75]] };

function colourOf(number, index, upper, twelve) {
  if (number === 1 || number === 4) return RED;
  // The tile of twelve pips has one red column in each half, on opposite sides.
  if (twelve) return (index % 2 === 0) === upper ? RED : WHITE;
  return WHITE;
}

function chineseHalf(number, y, upper, twelve) {
  const size = number === 1 ? 4.2 : 2.9;
  return CHINESE[number]
    .map(([across, along], index) => {
      const colour = colourOf(number, index, upper, twelve);
      return `<circle cx="${12.5 + across * 5.6}" cy="${y + along * 7.2}" r="${size}" fill="${colour}"/>`;
    })
    .join("");
}

/** The markup of a Chinese domino, or undefined for another notation. */
export function chineseFace(face) {
  const halves = parse(face);
  if (!halves) return undefined;
  const twelve = halves[0] === 6 && halves[1] === 6;
  return chineseHalf(halves[0], 14, true, twelve) + chineseHalf(halves[1], 38, false, twelve);
}
