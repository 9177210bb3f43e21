/** How to play, for somebody new to a game: a few steps, in our own words, each with a picture. */

import { cube, sixFaces, symbol } from "./deblockle.js";
import { h, s, shape } from "./dom.js";

const cubes = (...names) => () => h("div", { class: "pictures" }, names.map(([way, side]) => h("div", { class: "preview" }, cube(sixFaces(way), side))));
const faces = (...letters) => () => h("div", { class: "pictures" }, letters.map(([letter, text]) =>
  h("figure", {}, s("svg", { viewBox: "-20 -20 40 40", class: "icon", "aria-hidden": "true" }, symbol(letter)), h("figcaption", {}, text))));

const cells = (rows) => rows.flatMap((row, y) => [...row].map((mark, x) => [x, rows.length - 1 - y, mark])).filter(([, , mark]) => mark !== ".");

/** A little sheet of squares: each row a string, `.` for nothing, other letters as they are. */
function little(...rows) {
  return () => s("svg", { viewBox: `0 0 ${rows[0].length * 20} ${rows.length * 20}`, class: "little", "aria-hidden": "true" },
    rows.map((row, y) => [...row].map((mark, x) => s("g", { transform: `translate(${x * 20} ${y * 20})` },
      s("rect", { x: 1, y: 1, width: 18, height: 18, rx: 3, class: mark === "." ? "none" : /[A-Z]/.test(mark) ? "crossed" : "filled" }),
      mark !== "." && mark !== "#" && s("text", { x: 10, y: 14.5, "text-anchor": "middle", "font-size": 13 }, mark)))));
}

const shapes = (...list) => () => h("div", { class: "pictures" }, list.map((rows) => shape(cells(rows).map(([x, y]) => [x, y]))));

export const GUIDES = {
  deblockle: [
    {
      head: "Get your blocks off the board",
      picture: cubes(["XLT", "s"], ["CLS", "n"]),
      text: ["Two players, South (light, round blocks) and North (dark, square blocks), have up to four blocks each. All blocks are the same cube with six different faces.", "Whoever has no block left on the board wins."],
    },
    {
      head: "A turn has two parts: tip, then hop",
      picture: cubes(["XLT", "s"], ["HXT", "s"]),
      text: ["Choose one of your blocks and tip it over an edge onto a free square beside it. The cube rolls: the face that comes up is the one that was on the far side.", "The slopes around the face on top show the four sides. Tip north, and the face on the south side comes up."],
    },
    {
      head: "The new face tells how the block hops",
      picture: faces(["C", "cross"], ["X", "x"], ["L", "slider"], ["H", "hoops"], ["T", "stop"]),
      text: ["Cross: one step along a rank or file. X: one step diagonally. Slider: straight along a rank or file, as far as it is free. Hoops: three single steps. Stop: it stays where it is.", "The hop has to be made. The block does not turn while it hops, and goes only over free squares."],
    },
    {
      head: "The star is the way out",
      picture: faces(["S", "star"]),
      text: ["A block leaves the board when its star comes up on the opponent's home star: South leaves on d6, North on d2.", "A star may come up nowhere else, and nothing but a star may be tipped onto the star squares."],
    },
    {
      head: "The set-up",
      picture: cubes(["SLX", "n"], ["TCH", "n"]),
      text: ["Each player rolls the blocks of the other one. The faces rolled stay up; you choose the start square and how each block is turned.", "Turn them so that the other side has a long way to its star."],
    },
    {
      head: "If you cannot move",
      picture: cubes(["CTL", "n"], ["THX", "s"]),
      text: ["A player without a legal move passes until there is one. Nobody may pass who can move.", "On this board: choose a block, then a square to tip to, then where to hop. Squares where a tip is not allowed are crossed; try them, and the page tells you which rule is in the way."],
    },
  ],
  numberdrop: [
    {
      head: "Fill your sheet with falling numbers",
      picture: little(".......", "..53...", "..42...", "1234..."),
      text: ["Everybody has a sheet of seven columns. Five dice are rolled for all: one shows a shape, four show numbers.", "All players use the same roll at the same time."],
    },
    {
      head: "Drop the shape",
      picture: shapes(["####"], ["##", "##"], [".#.", "###"], ["#..", "###"], [".##", "##."]),
      text: ["Write the four numbers into the shape in any order, turn it and mirror it as you like, and let it fall straight down until it touches.", "A star is a joker: on a number die it is any digit, on the shape die any shape."],
    },
    {
      head: "Claim a group",
      picture: little(".4.....", ".4..567", ".4..4.."),
      text: ["After a drop you may claim one group of neighbouring digits: equal ones (identical), or ones that rise by one at each step (a straight).", "Groups of three to seven are worth their size, and each kind and size counts once. A group of eight fills the bonus box."],
    },
    {
      head: "Letters",
      picture: little("ABCDE"),
      text: ["Claim both kinds of one size, and you circle its letter: A for three to E for seven.", "When later a star is rolled, the first circled letter fires: everybody who has not circled it must drop its tile as crossed-out cells instead of playing the roll."],
    },
    {
      head: "Rows and the line",
      picture: little("..1....", "3456712", "1212334"),
      text: ["A full row up to row 11 is worth 2 points. Every row above the line that holds a cell costs 5.", "The game ends with the round in which somebody crosses the line. The most points win."],
    },
    {
      head: "On this page",
      picture: shapes(["#.", "##", ".#"]),
      text: ["Point at a column, or use the arrow keys, to see where the shape lands. Turn it with R and mirror it with F. Choose two of the numbers to swap them.", "Drop it, then mark the cells you want to claim, or go on without a claim. Alone, a tile slides down its track every round: that is the clock."],
    },
  ],
  nmbr9: [
    {
      head: "Stack the numbers",
      picture: shapes([".##", ".#.", "##.", "###"], ["###", ".#.", "##.", "#.."]),
      text: ["There are twenty tiles, the digits 0 to 9 twice. A card names the next digit, and you place that tile.", "Everybody builds alone with the same cards; here the engine builds beside you."],
    },
    {
      head: "Side by side",
      picture: little("000777", "0.0.7.", "0.077.", "0007.."),
      text: ["Tiles may be turned but not mirrored. On the table (level 0) and on every higher level, a new tile has to share an edge with a tile of the same level. Touching corners are not enough.", "Only the first tile of a level needs no neighbour."],
    },
    {
      head: "On top",
      picture: little("AA1111", "A.1.B.", "A.ABB.", "AAAB.."),
      text: ["A tile of a higher level must lie completely on tiles: nothing may hang over an edge or a hole.", "And it must rest on at least two different tiles of the level below: here the 1 lies on A and on B."],
    },
    {
      head: "Points",
      picture: little("9×2=18"),
      text: ["Each tile counts its digit times its level: nothing on the table, its digit on level 1, twice its digit on level 2.", "So spread small numbers and zeros below, and take big ones up."],
    },
    {
      head: "On this page",
      picture: shapes(["#..", "###", "#.#", "###"]),
      text: ["Move the tile with the mouse or the arrow keys, turn it with R, change the level with the buttons or Page Up and Page Down, and place it with a click or Enter. A solid outline fits, a dashed one does not: try it, and the page says why.", "Par tells afterwards what was possible with the same cards in the same order."],
    },
  ],
};
