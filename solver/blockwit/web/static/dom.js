/** Small helpers for making elements and speaking to screen readers. */

const SVG = "http://www.w3.org/2000/svg";

export const $ = (selector, root = document) => root.querySelector(selector);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name in element && ["value", "checked", "disabled", "hidden", "selected"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Make an HTML element. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** Make an SVG element. */
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A labelled choice. `choices` are pairs of value and text. */
export function select(label, choices, value, onchange) {
  const chosen = h(
    "select",
    { onchange: (event) => onchange?.(event.target.value) },
    choices.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text)),
  );
  return h("label", { class: "field" }, h("span", {}, label), chosen);
}

export const button = (text, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, text);

/** Tell a screen reader. Asked twice the same, it has to hear it twice, so the text differs by a space. */
export function say(text) {
  const region = $("#said");
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

const late = [];
let pressed = false;
let release = 0;

/** Do something now, or after the click while a button is pressed: drawn anew between press and release it would lose it. */
export function unpressed(act) {
  if (pressed) late.push(act);
  else act();
}

function letGo() {
  pressed = false;
  for (const act of late.splice(0)) act();
}

function letGoIn(milliseconds) {
  clearTimeout(release);
  release = setTimeout(letGo, milliseconds);
}

addEventListener("pointerdown", (event) => {
  clearTimeout(release);
  letGo();
  pressed = event.button === 0 && Boolean(event.target.closest("button"));
}, true);
addEventListener("click", () => letGoIn(0), true);
// A finger's click comes a moment later, and where the pointer has left the button none comes.
for (const name of ["pointerup", "pointercancel", "contextmenu"]) addEventListener(name, () => letGoIn(100), true);

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Arrow keys move the focus over a grid of buttons; only one of them is in the tab order.
 * `at(x, y)` returns the button there or undefined; rows grow upward.
 */
export function roving(grid, at) {
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  grid.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const from = event.target.closest("[data-x]");
    if (!step || !from || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = at(Number(from.dataset.x) + step[0], Number(from.dataset.y) + step[1]);
    if (next) rove(grid, next, true);
  });
  grid.addEventListener("focusin", (event) => {
    const cell = event.target.closest("[data-x]");
    if (cell) rove(grid, cell, false);
  });
}

/** Make `cell` the one of its grid that the tab key reaches. */
export function rove(grid, cell, focus) {
  for (const other of grid.querySelectorAll('[data-x][tabindex="0"]')) other.tabIndex = -1;
  cell.tabIndex = 0;
  if (focus) cell.focus();
}

/** What tells a control from the others of its kind, in a drawing and in the next one. */
function identity(control) {
  const marked = control.id || Object.keys(control.dataset).length > 0;
  return `${control.tagName}#${control.id}${JSON.stringify(control.dataset)}${marked ? "" : control.getAttribute("aria-label") ?? control.textContent}`;
}

const controls = (root) => [...root.querySelectorAll("button, select, input")];

/** Replace what is in an element; the control that had the focus has it again, so that a keyboard is not thrown out. */
export function refill(root, ...children) {
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const alike = (control) => identity(control) === identity(focused);
  const number = focused ? controls(root).filter(alike).indexOf(focused) : -1;
  root.replaceChildren(...children);
  if (number >= 0) controls(root).filter(alike)[number]?.focus({ preventScroll: true });
}

/** The squares of a shape as an SVG picture; cells are pairs (column, row), rows growing upward. */
export function shape(cells, attributes = {}) {
  const xs = cells.map(([x]) => x);
  const ys = cells.map(([, y]) => y);
  const [left, low] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left + 1, Math.max(...ys) - low + 1];
  return s(
    "svg",
    { viewBox: `-0.1 -0.1 ${wide + 0.2} ${high + 0.2}`, class: "shape", "aria-hidden": "true", ...attributes },
    cells.map(([x, y]) => s("rect", { x: x - left + 0.04, y: high - 1 - (y - low) + 0.04, width: 0.92, height: 0.92, rx: 0.16 })),
  );
}
