// Faces of mahjong tiles: characters, dots, bamboos, honours and flowers, in a box of 28 x 38.
import { glyph } from "./glyphs.js";

export const BOX = { width: 28, length: 38 };

const RED = "#b8261c";
const GREEN = "#137a3f";
const BLUE = "#1d4f9c";
const BLACK = "#1b2a33";
const GOLD = "#c98a12";

const NUMERALS = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];

function character(number) {
  return (
    glyph(NUMERALS[number], 5.5, 3.2, 17, 14, BLACK, 13) + glyph("萬", 6, 19.5, 16, 15.6, RED, 9.5)
  );
}

const LEFT = 8.3;
const MIDDLE = 14;
const RIGHT = 19.7;

/** Positions and colours of the dots of each number; `size` is their radius. */
const DOTS = {
  2: { size: 5.2, at: [[14, 10.5, GREEN], [14, 27.5, BLUE]] },
  3: { size: 4.5, at: [[7.5, 8, BLUE], [14, 19, RED], [20.5, 30, GREEN]] },
  4: { size: 4.7, at: [[LEFT, 10, BLUE], [RIGHT, 10, GREEN], [LEFT, 28, GREEN], [RIGHT, 28, BLUE]] },
  5: {
    size: 4.1,
    at: [[7.6, 8.5, BLUE], [20.4, 8.5, GREEN], [14, 19, RED], [7.6, 29.5, GREEN], [20.4, 29.5, BLUE]],
  },
  6: {
    size: 4.2,
    at: [[LEFT, 7.6, GREEN], [RIGHT, 7.6, GREEN], [LEFT, 20, RED], [RIGHT, 20, RED], [LEFT, 30.4, RED],
      [RIGHT, 30.4, RED]],
  },
  7: {
    size: 3.5,
    at: [[6, 6, GREEN], [14, 10, GREEN], [22, 14, GREEN], [8.6, 23.4, RED], [19.4, 23.4, RED],
      [8.6, 32, RED], [19.4, 32, RED]],
  },
  8: {
    size: 3.7,
    at: [5.8, 14.6, 23.4, 32.2].flatMap((y) => [[8.4, y, BLUE], [19.6, y, BLUE]]),
  },
  9: {
    size: 3.6,
    at: [[7.5, GREEN], [19, RED], [30.5, BLUE]].flatMap(([y, colour]) => [
      [5.7, y, colour], [14, y, colour], [22.3, y, colour],
    ]),
  },
};

function dot(x, y, radius, colour) {
  return (
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}"/>` +
    `<circle cx="${x}" cy="${y}" r="${radius * 0.42}" fill="none" stroke="#fbf6e6" stroke-width="${radius * 0.24}"/>`
  );
}

function oneDot() {
  const petals = Array.from({ length: 12 }, (_, step) => {
    const angle = (step * Math.PI) / 6;
    const x = 14 + 7.6 * Math.cos(angle);
    const y = 19 + 7.6 * Math.sin(angle);
    return `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="1.5" fill="${GREEN}"/>`;
  }).join("");
  return (
    `<circle cx="14" cy="19" r="10.6" fill="none" stroke="${BLUE}" stroke-width="1.9"/>${petals}` +
    `<circle cx="14" cy="19" r="4.7" fill="${RED}"/>` +
    `<circle cx="14" cy="19" r="1.7" fill="#fbf6e6"/>`
  );
}

function dots(number) {
  if (number === 1) return oneDot();
  const { size, at } = DOTS[number];
  return at.map(([x, y, colour]) => dot(x, y, size, colour)).join("");
}

/** One bamboo stick with its joint, centred at x, y; `tilt` in degrees. */
function stick(x, y, length, colour, tilt = 0) {
  const half = length / 2;
  const turned = tilt ? ` transform="rotate(${tilt} ${x} ${y})"` : "";
  return (
    `<g${turned}><rect x="${x - 2}" y="${y - half}" width="4" height="${length}" rx="2" fill="${colour}"/>` +
    `<rect x="${x - 2.7}" y="${y - 0.8}" width="5.4" height="1.6" rx="0.8" fill="${colour}"/>` +
    `<path d="M${x} ${y - half + 1.6}V${y - 1.7}M${x} ${y + 1.7}V${y + half - 1.6}" stroke="#fbf6e6" stroke-width="0.55" stroke-opacity="0.7" stroke-linecap="round"/></g>`
  );
}

const STICKS = {
  2: () => stick(14, 10.6, 14, GREEN) + stick(14, 27.4, 14, BLUE),
  3: () => stick(14, 10.6, 14, BLUE) + stick(8.2, 27.4, 14, GREEN) + stick(19.8, 27.4, 14, GREEN),
  4: () =>
    stick(8.2, 10.6, 14, GREEN) + stick(19.8, 10.6, 14, BLUE) + stick(8.2, 27.4, 14, BLUE) +
    stick(19.8, 27.4, 14, GREEN),
  5: () =>
    stick(6.4, 10.6, 14, GREEN) + stick(21.6, 10.6, 14, BLUE) + stick(14, 19, 14, RED) +
    stick(6.4, 27.4, 14, BLUE) + stick(21.6, 27.4, 14, GREEN),
  6: () =>
    [6, 14, 22].map((x) => stick(x, 10.6, 14, GREEN) + stick(x, 27.4, 14, BLUE)).join(""),
  7: () =>
    stick(14, 7.4, 9.6, RED) +
    [6, 14, 22].map((x) => stick(x, 19.2, 9.8, x === 14 ? BLUE : GREEN) + stick(x, 30.6, 9.8, x === 14 ? BLUE : GREEN)).join(""),
  8: () => {
    // The traditional M over a W: two upright sticks outside, two tilted ones between them.
    const half = (y, tilt) =>
      stick(5, y, 14, GREEN) + stick(23, y, 14, GREEN) + stick(10.4, y, 14, BLUE, tilt) +
      stick(17.6, y, 14, BLUE, -tilt);
    return half(10.4, -24) + half(27.6, 24);
  },
  9: () =>
    [7, 19, 31]
      .map((y) => stick(6, y, 10, GREEN) + stick(14, y, 10, RED) + stick(22, y, 10, BLUE))
      .join(""),
};

/** The bird of the first bamboo. */
function bird() {
  return (
    `<path d="M9 33.5Q14 24 12.4 18.5Q11.5 13 14.5 9.5Q17.8 6 21 9.2L24.6 10.8L20.8 12.6Q22.6 18 20.6 23.5Q18.6 29 12.4 34.5Z" fill="${GREEN}"/>` +
    `<path d="M13.2 18Q7 20 4.6 30.5Q10.6 30 15.4 24.4Q17.6 21 17 16.8Z" fill="${BLUE}"/>` +
    `<path d="M7.4 28.6Q11 25.6 13.8 21M9.6 29Q13 26.2 15.4 22.4" stroke="#fbf6e6" stroke-width="0.8" fill="none"/>` +
    `<path d="M14.6 7.6Q13.8 5.2 15.6 3.4M17 6.6Q17 4.2 19.2 3" stroke="${RED}" stroke-width="1.5" fill="none" stroke-linecap="round"/>` +
    `<circle cx="18.2" cy="10.2" r="1.15" fill="#fbf6e6"/><circle cx="18.4" cy="10.2" r="0.6" fill="${BLACK}"/>` +
    `<path d="M21 9.2L24.6 10.8L20.8 12.6Z" fill="${RED}"/>` +
    `<path d="M15.5 31.6V35.4M18.4 29V35.4M13.6 35.4H20.6" stroke="${RED}" stroke-width="1.2" stroke-linecap="round"/>`
  );
}

function bamboos(number) {
  return number === 1 ? bird() : STICKS[number]();
}

function honour(number) {
  switch (number) {
    case 1: return glyph("東", 3.6, 7.5, 20.8, 23, BLACK, 8.5);
    case 2: return glyph("南", 3.6, 7.5, 20.8, 23, BLACK, 8.5);
    case 3: return glyph("西", 3.6, 7.5, 20.8, 23, BLACK, 8.5);
    case 4: return glyph("北", 3.6, 7.5, 20.8, 23, BLACK, 8.5);
    case 5:
      return (
        `<rect x="4.6" y="5.6" width="18.8" height="26.8" rx="1.6" fill="none" stroke="${BLUE}" stroke-width="2.4"/>` +
        `<rect x="8" y="9" width="12" height="20" rx="0.8" fill="none" stroke="${BLUE}" stroke-width="0.9"/>`
      );
    case 6: return glyph("發", 3.2, 7, 21.6, 24.4, GREEN, 8);
    default: return glyph("中", 3.6, 6, 20.8, 26, RED, 11);
  }
}

function petals(count, x, y, out, size, colour) {
  return Array.from({ length: count }, (_, step) => {
    const angle = (360 / count) * step;
    return `<ellipse cx="${x}" cy="${y - out}" rx="${size * 0.62}" ry="${size}" fill="${colour}" transform="rotate(${angle} ${x} ${y})"/>`;
  }).join("");
}

const FLOWERS = {
  // Plum blossom on a branch.
  1: () =>
    `<path d="M5 34Q12 27 13 21Q14 15 22 12" stroke="#6b4426" stroke-width="1.7" fill="none" stroke-linecap="round"/>` +
    petals(5, 14.5, 20.5, 4.2, 3.6, RED) + `<circle cx="14.5" cy="20.5" r="1.9" fill="${GOLD}"/>`,
  // Orchid: long leaves and one blossom.
  2: () =>
    `<path d="M13 34Q6 26 4.6 15M14 34Q14 24 9.4 14M15 34Q20 28 23.6 20" stroke="${GREEN}" stroke-width="1.7" fill="none" stroke-linecap="round"/>` +
    petals(3, 17, 17, 3.6, 3.6, "#7a3fa0") + `<circle cx="17" cy="17" r="1.5" fill="${GOLD}"/>`,
  // Chrysanthemum: many narrow petals.
  3: () =>
    `<path d="M14 23V34M14 31Q9 31 7 27.6M14 32Q19 32 21 28.6" stroke="${GREEN}" stroke-width="1.7" fill="none" stroke-linecap="round"/>` +
    petals(12, 14, 18.5, 5.2, 2.9, GOLD) + `<circle cx="14" cy="18.5" r="2.6" fill="#9a5b0b"/>`,
  // Bamboo: two stems with leaves.
  4: () =>
    `<path d="M10.5 35V13M18 35V16" stroke="${GREEN}" stroke-width="2.2" stroke-linecap="round"/>` +
    `<path d="M8.4 20.4H12.6M8.4 27.6H12.6M16 22.6H20.2M16 29.4H20.2" stroke="#fbf6e6" stroke-width="1"/>` +
    `<path d="M10.5 15Q17 9.6 21 12.4Q16 16.4 10.5 15ZM18 20Q23.6 16.4 25.4 20Q21 22.6 18 20ZM10.5 22Q5.4 17.6 3 20.6Q6 24.4 10.5 22Z" fill="${GREEN}"/>`,
  // Spring: a shoot with two leaves below the sun.
  5: () =>
    `<path d="M14 34V21" stroke="${GREEN}" stroke-width="1.9" stroke-linecap="round"/>` +
    `<path d="M14 27Q5 27 4.6 19Q13 18.6 14 27ZM14 24Q15 16 23.4 16Q23.4 24 14 24Z" fill="${GREEN}"/>` +
    `<circle cx="17" cy="10.6" r="2.6" fill="${RED}"/>`,
  // Summer: the sun with rays.
  6: () =>
    Array.from({ length: 8 }, (_, step) =>
      `<path d="M14 12.4V9.2" stroke="${RED}" stroke-width="1.9" stroke-linecap="round" transform="rotate(${45 * step} 14 21)"/>`,
    ).join("") + `<circle cx="14" cy="21" r="5.6" fill="${RED}"/>`,
  // Autumn: a maple leaf.
  7: () =>
    `<path d="M14 10L16 16L21 13.6L19.6 19L25 20.6L20 23.6L21.6 28.4L15 26.6L14 30L13 26.6L6.4 28.4L8 23.6L3 20.6L8.4 19L7 13.6L12 16Z" fill="#c8500f"/>` +
    `<path d="M14 20V35" stroke="#8a3708" stroke-width="1.5" stroke-linecap="round"/>`,
  // Winter: a snow crystal.
  8: () =>
    Array.from({ length: 6 }, (_, step) =>
      `<path d="M14 21V11.4M14 14.6L11.4 12M14 14.6L16.6 12" stroke="${BLUE}" stroke-width="1.6" fill="none" stroke-linecap="round" transform="rotate(${60 * step} 14 21)"/>`,
    ).join(""),
};

function flower(number) {
  const colour = number <= 4 ? BLUE : RED;
  return FLOWERS[number]() + glyph(String(((number - 1) % 4) + 1), 2.4, 2.4, 7.4, 8.4, colour, 15);
}

/** The markup of a mahjong face, or undefined for another notation. */
export function mahjongFace(face) {
  const found = /^([1-9])([mpszf])$/.exec(face);
  if (!found) return undefined;
  const number = Number(found[1]);
  switch (found[2]) {
    case "m": return character(number);
    case "p": return dots(number);
    case "s": return bamboos(number);
    case "z": return number <= 7 ? honour(number) : undefined;
    default: return number <= 8 ? flower(number) : undefined;
  }
}
