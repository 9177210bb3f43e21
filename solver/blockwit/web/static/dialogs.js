/** The dialogs: rules, how to play, puzzles, a new game. */

import { $, button, h, say, select } from "./dom.js";
import { group } from "./puzzles.js";

let asked = 0;

/** What the server has for a dialog, or null when another one was opened or asked for before it came. */
async function fetched(address) {
  asked += 1;
  const mine = asked;
  const text = await (await fetch(address)).text();
  return mine === asked ? text : null;
}

function show(heading, ...content) {
  asked += 1;
  const dialog = $("#dialog");
  dialog.replaceChildren(
    h("div", { class: "dialog" },
      h("div", { class: "dialog-head" }, h("h2", { id: "dialog-title" }, heading), button("✕", closeDialog, { "aria-label": "Close", id: "close" })),
      ...content),
  );
  if (!dialog.open) dialog.showModal();
  return dialog;
}

export function closeDialog() {
  $("#dialog").close();
}

/** The rules of a game, at a heading if one is named. */
export async function showRules(page, rule = "") {
  const { game } = page;
  const rendered = await fetched(`/rules/${game}`);
  if (rendered === null) return;
  const text = h("div", { class: "rules", tabindex: "0" });
  // Our own server renders them from the project's files, with HTML in them switched off.
  text.innerHTML = rendered;
  text.querySelector("h1")?.remove();
  for (const table of text.querySelectorAll("table")) {
    const box = h("div", { class: "wide" });
    table.replaceWith(box);
    box.append(table);
  }
  const headings = [...text.querySelectorAll("h2")];
  const contents = h("nav", { class: "contents", "aria-label": "Headings of the rules" },
    headings.map((heading) => button(heading.textContent, () => go(heading), { class: "link" })));
  show(`Rules of ${page.title}`, contents, text);
  const go = (heading) => {
    for (const marked of text.querySelectorAll(".marked")) marked.classList.remove("marked");
    heading.classList.add("marked");
    heading.tabIndex = -1;
    heading.scrollIntoView({ block: "start" });
    heading.focus({ preventScroll: true });
  };
  const wanted = rule && text.querySelector(`#rule-${CSS.escape(rule)}`);
  if (wanted) go(wanted);
}

/** The guided tour of a game, one step at a time. */
export function showGuide(page) {
  const steps = page.boards[page.game].GUIDE;
  let at = 0;
  const turn = (by) => {
    at += by;
    if (at >= steps.length) {
      closeDialog();
      return;
    }
    const { head, text, picture } = steps[at];
    show(`How to play ${page.title}`,
      h("div", { class: "guide" },
        h("div", { class: "guide-picture" }, picture()),
        h("div", { id: "guide-step" }, h("h3", { id: "guide-head", tabindex: "-1" }, `${at + 1}. ${head}`), text.map((line) => h("p", {}, line)))),
      h("div", { class: "row guide-foot" },
        button("Back", () => turn(-1), { disabled: at === 0 }),
        h("span", { class: "quiet" }, `${at + 1} of ${steps.length}`),
        button(at + 1 === steps.length ? "Play" : "Next", () => turn(1), { class: "primary", id: "next" })));
    $("#guide-head").focus();
  };
  turn(0);
}

export async function showPuzzles(page) {
  const { game } = page;
  const listed = await fetched(`/puzzles/${game}`);
  if (listed === null) return;
  const all = JSON.parse(listed);
  const groups = new Map();
  for (const puzzle of all) {
    const name = group(puzzle);
    groups.set(name, [...(groups.get(name) ?? []), puzzle]);
  }
  const load = (puzzle) => {
    closeDialog();
    page.openPuzzle(game, puzzle);
  };
  show(`Puzzles of ${page.title}`,
    h("div", { class: "puzzles", tabindex: "0" },
      [...groups].map(([name, puzzles]) => h("section", {},
        h("h3", {}, name),
        h("div", { class: "row" }, puzzles.map((puzzle) => button(
          [puzzle.name, puzzle.grade ? h("span", { class: "grade" }, "●".repeat(puzzle.grade)) : ""],
          () => load(puzzle),
          { "data-puzzle": puzzle.name, "aria-label": puzzle.grade ? `${puzzle.name}, grade ${puzzle.grade} of 5` : puzzle.name })))))));
}

/** The rule options, read from the server's list, and the other ways in which a game can begin. */
export function newGame(page) {
  const { game } = page;
  const values = { ...page.table.options };
  const fields = page.catalogue[game].options.map((option) => {
    const value = values[option.name] ?? option.default;
    const label = `${option.name}: ${option.help}`;
    const change = (text) => {
      values[option.name] = text;
    };
    if (option.kind === "combo") return select(label, option.choices.map((choice) => [choice, choice]), value, change);
    if (option.kind === "check") {
      return h("label", { class: "field check" },
        h("input", { type: "checkbox", checked: value === true, onchange: (event) => change(event.target.checked) }), h("span", {}, label));
    }
    const number = option.kind === "spin" ? { type: "number", min: option.low, max: option.high } : { type: "text" };
    return h("label", { class: "field" }, h("span", {}, label),
      h("input", { ...number, value, onchange: (event) => change(option.kind === "spin" ? Number(event.target.value) : event.target.value) }));
  });
  const problem = h("p", { class: "trouble", role: "alert", hidden: true });
  const start = async (position = null, extra = {}) => {
    try {
      await page.begin(game, values, position, null, extra);
      closeDialog();
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error.message;
    }
  };
  const { ways, OPTIONS_OPEN: open = false } = page.boards[game];
  show(`New game of ${page.title}`,
    h("form", { onsubmit: (event) => event.preventDefault() },
      ways ? ways(start) : [],
      h("details", { open }, h("summary", {}, "Rule options"), h("div", { class: "fields" }, fields)),
      problem,
      h("div", { class: "row" }, button("Start", () => start(null, page.usual(game)), { class: "primary", id: "start" }))));
  say("New game");
}
