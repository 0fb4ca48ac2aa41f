// Faces of playing-card tiles, in a box of 28 x 38.
import { glyph } from "./glyphs.js";

export const BOX = { width: 28, length: 38 };

const RED = "#b8261c";
const BLACK = "#1b2a33";

/** Outlines of the suits in a box of 20 x 20. */
const SUITS = {
  s: "M10 1Q12 5 17 9Q20 12 18 15Q15.5 18 11.6 15Q12 18 14 19.4H6Q8 18 8.4 15Q4.5 18 2 15Q0 12 3 9Q8 5 10 1Z",
  h: "M10 18.6Q7 14.6 3.4 11Q0 7.4 2 4Q4 1 7 2Q9 2.7 10 5Q11 2.7 13 2Q16 1 18 4Q20 7.4 16.6 11Q13 14.6 10 18.6Z",
  d: "M10 1Q12.6 5.6 17 10Q12.6 14.4 10 19Q7.4 14.4 3 10Q7.4 5.6 10 1Z",
  c: "M10 1.4A4.2 4.2 0 0 1 13.4 8A4.2 4.2 0 1 1 11.4 14.2Q12 17.8 14 19.2H6Q8 17.8 8.6 14.2A4.2 4.2 0 1 1 6.6 8A4.2 4.2 0 0 1 10 1.4Z",
};

/** The markup of a card face, or undefined for another notation. */
export function cardFace(face) {
  const found = /^(A|[2-9]|10|J|Q|K)([shdc])$/.exec(face);
  if (!found) return undefined;
  const [, rank, suit] = found;
  const colour = suit === "h" || suit === "d" ? RED : BLACK;
  return (
    glyph(rank, rank === "10" ? 3.6 : 6.5, 3, rank === "10" ? 20 : 15, 15, colour, 14) +
    `<path d="${SUITS[suit]}" fill="${colour}" transform="translate(5.5 19) scale(0.85)"/>`
  );
}
