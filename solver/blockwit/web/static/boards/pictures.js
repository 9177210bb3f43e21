/** Little pictures for the guides. */

import { h, s, shape } from "../dom.js";

const cells = (rows) => rows.flatMap((row, y) => [...row].map((mark, x) => [x, rows.length - 1 - y, mark])).filter(([, , mark]) => mark !== ".");

/** A little sheet of squares: each row a string, `.` for nothing, other letters as they are. */
export function little(...rows) {
  return () => s("svg", { viewBox: `0 0 ${rows[0].length * 20} ${rows.length * 20}`, class: "little", "aria-hidden": "true" },
    rows.map((row, y) => [...row].map((mark, x) => s("g", { transform: `translate(${x * 20} ${y * 20})` },
      s("rect", { x: 1, y: 1, width: 18, height: 18, rx: 3, class: mark === "." ? "none" : /[A-Z]/.test(mark) ? "crossed" : "filled" }),
      mark !== "." && mark !== "#" && s("text", { x: 10, y: 14.5, "text-anchor": "middle", "font-size": 13 }, mark)))));
}

export const shapes = (...list) => () => h("div", { class: "pictures" }, list.map((rows) => shape(cells(rows).map(([x, y]) => [x, y]))));
