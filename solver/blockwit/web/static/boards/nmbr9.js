/** NMBR 9: a builder that shows one level at a time, with all levels beside it. */

import { button, h, refill, rove, roving, s, say, select, shape } from "../dom.js";
import { little, shapes } from "./pictures.js";

const MARGIN = 4;
const TURNS = "abcd";

/** Everybody builds alone; an engine builds too. */
export const usual = () => ({ rival: { moves: [], strength: "20" } });

export class Board {
  constructor(page, root, hand) {
    this.page = page;
    this.hand = hand;
    this.level = 0;
    this.turn = 0;
    this.cursor = [0, 0];
    this.root = h("div", { class: "nmbr9" });
    this.root.addEventListener("keydown", (event) => this.key(event));
    root.append(this.root);
    this.parResult = null;
  }

  name() {
    return "You";
  }

  get chances() {
    return "Cards are drawn";
  }

  rolling() {
    return "Draw a card";
  }

  doing(view) {
    if (view.mode === "F") return `place any of the ${view.deck.length} tiles, ${view.left} to go`;
    return `place a ${this.digits(view)[0]}`;
  }

  chance() {
    return "The next card is to be drawn";
  }

  digits(view) {
    if (view.mode === "F") return [...new Set(view.deck)];
    return [view.mode === "K" ? view.deck[0] : view.hand];
  }

  shapes(digit) {
    return this.page.catalogue[this.page.game].shapes[digit];
  }

  // --- drawing ---------------------------------------------------------------------------------------------------

  show(view, { mine }) {
    const count = view.placed.length;
    if (this.view && count < this.view.placed.length) this.parResult = null;
    this.view = view;
    this.mine = mine;
    this.legal = new Set(view.legal);
    const digits = view.kind === "decision" ? this.digits(view) : [];
    if (!digits.includes(this.digit)) {
      this.digit = digits.at(-1) ?? null;
      this.turn = 0;
    }
    this.level = Math.min(this.level, this.top() + 1);
    if (!view.placed.length) {
      this.level = 0;
      this.cursor = [0, 0];
    }
    if (mine && !this.fits()) this.suggestPlace();
    this.draw();
  }

  top() {
    return Math.max(-1, ...this.view.placed.map((tile) => tile.level));
  }

  /** The tile's squares, its lower left corner at 0, 0. */
  squares() {
    const turns = this.shapes(this.digit);
    return turns[this.turn % turns.length];
  }

  /** Where the lower left corner of the tile is when its middle is where one points. */
  corner() {
    const [wide, high] = extent(this.squares());
    return [this.cursor[0] - (wide >> 1), this.cursor[1] - (high >> 1)];
  }

  /** Point so that the tile's corner is at x, y. */
  pointAt(x, y) {
    const [wide, high] = extent(this.squares());
    this.cursor = [x + (wide >> 1), y + (high >> 1)];
  }

  token() {
    return `${this.digit}${TURNS[this.turn]}@${this.corner().join(",")},${this.level}`;
  }

  /** Whether the tile may lie where it is; the first one may lie anywhere, and is listed at one place only. */
  fits() {
    if (this.digit !== null && !this.view.placed.length) return this.level === 0;
    return this.digit !== null && this.legal.has(this.token());
  }

  /** Start somewhere legal on the level in view, else on the table. */
  suggestPlace() {
    const here = [...this.legal].map(parse).filter((tile) => tile.digit === this.digit);
    const [x, y] = this.corner();
    for (const level of [this.level, 0]) {
      const tiles = here.filter((tile) => tile.level === level && tile.turn === this.turn);
      tiles.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y));
      if (tiles.length) {
        this.level = level;
        this.pointAt(tiles[0].x, tiles[0].y);
        return;
      }
    }
  }

  frame() {
    const cells = this.view.placed.flatMap((tile) => tile.cells);
    const xs = cells.length ? cells.map(([x]) => x) : [0];
    const ys = cells.length ? cells.map(([, y]) => y) : [0];
    // At least as wide as a first tile with room around it.
    return {
      left: Math.min(...xs) - MARGIN, right: Math.max(Math.max(...xs) + MARGIN, Math.min(...xs) + 6),
      low: Math.min(...ys) - MARGIN, high: Math.max(Math.max(...ys) + MARGIN, Math.min(...ys) + 6),
    };
  }

  draw() {
    const { view } = this;
    const frame = this.frame();
    const wide = frame.right - frame.left + 1;
    this.cells = new Map();
    const onCell = document.activeElement?.dataset?.cell !== undefined;
    const owner = new Map();
    const below = new Map();
    for (const tile of view.placed) {
      for (const [x, y] of tile.cells) {
        if (tile.level === this.level) owner.set(`${x},${y}`, tile);
        if (tile.level === this.level - 1) below.set(`${x},${y}`, tile);
      }
    }
    const lines = [];
    for (let y = frame.high; y >= frame.low; y -= 1) {
      const row = [];
      for (let x = frame.left; x <= frame.right; x += 1) {
        const name = `${x},${y}`;
        const tile = owner.get(name);
        const under = below.get(name);
        const edge = (dx, dy) => tile && owner.get(`${x + dx},${y + dy}`) !== tile;
        const classes = ["spot", tile ? `tile n${tile.digit}` : "", !tile && under ? "under" : "", !tile && !under && this.level > 0 ? "void" : "",
          edge(-1, 0) ? "el" : "", edge(1, 0) ? "er" : "", edge(0, 1) ? "et" : "", edge(0, -1) ? "eb" : ""].join(" ");
        const label = tile ? `a ${tile.digit} on level ${tile.level}` : under ? `free, on a ${under.digit}` : this.level ? "nothing beneath" : "free";
        const spot = h("button", {
          type: "button", class: classes, "data-cell": name, "data-x": x, "data-y": y, tabindex: -1, "aria-label": `column ${x}, row ${y}: ${label}`,
          onclick: () => this.click(x, y), onmouseenter: () => this.moveTo(x, y), onfocus: () => this.moveTo(x, y),
        }, tile && middle(tile) === name ? String(tile.digit) : !tile && under && middle(under) === name ? h("span", { class: "faint" }, String(under.digit)) : "");
        this.cells.set(name, spot);
        row.push(h("div", { role: "gridcell" }, spot));
      }
      lines.push(h("div", { role: "row", class: "spots" }, row));
    }
    const grid = h("div", { class: "builder", role: "grid", "aria-label": `Level ${this.level}` }, lines);
    grid.style.setProperty("--wide", String(wide));
    roving(grid, (x, y) => this.cells.get(`${x},${y}`));
    const anchor = this.cells.get(this.cursor.join(",")) ?? this.cells.values().next().value;
    rove(grid, anchor, false);
    refill(this.root, this.head(), h("div", { class: "builder-stage" }, grid, this.levels()), this.rivalBox());
    // The cell may be outside of the new frame.
    if (onCell && document.activeElement === document.body) anchor?.focus({ preventScroll: true });
    this.ghost();
    this.drawHand();
  }

  head() {
    const { view } = this;
    const cards = view.mode === "U" ? `${view.left} cards to come` : view.mode === "K" ? `Deck: ${view.deck.join(" ") || "none left"}` : `Tiles: ${view.deck.join(" ")}, ${view.left} to place`;
    return h("div", { class: "table-top" }, h("p", { class: "points" }, h("b", { id: "points" }, String(view.score)), " points"), h("p", { class: "quiet deck" }, cards));
  }

  /** All levels as small pictures, with what each is worth. */
  levels() {
    const top = this.top();
    const all = this.view.placed.length ? this.view.placed.flatMap((tile) => tile.cells) : [[0, 0]];
    const left = Math.min(...all.map(([x]) => x));
    const low = Math.min(...all.map(([, y]) => y));
    const wide = Math.max(...all.map(([x]) => x)) - left + 1;
    const high = Math.max(...all.map(([, y]) => y)) - low + 1;
    const pictures = [];
    for (let level = Math.max(0, top + 1); level >= 0; level -= 1) {
      const tiles = this.view.placed.filter((tile) => tile.level === level);
      const sum = tiles.reduce((total, tile) => total + tile.digit, 0);
      const under = this.view.placed.filter((tile) => tile.level === level - 1);
      pictures.push(h("button", {
        type: "button", class: "level", "aria-pressed": String(level === this.level), "data-level": level,
        "aria-label": `Level ${level}: ${tiles.length ? `tiles ${tiles.map((tile) => tile.digit).join(", ")}, ${sum * level} points` : "empty"}`,
        onclick: () => this.toLevel(level),
      }, s("svg", { viewBox: `0 0 ${wide} ${high}`, "aria-hidden": "true" },
        under.map((tile) => s("path", { d: outline(tile.cells, left, low, high), class: "under" })),
        tiles.map((tile) => s("path", { d: outline(tile.cells, left, low, high), class: `n${tile.digit}` }))),
      h("span", {}, `Level ${level}`), h("span", { class: "quiet" }, tiles.length ? `${sum} × ${level} = ${sum * level}` : "–")));
    }
    return h("div", { class: "levels", role: "group", "aria-label": "Levels" }, pictures);
  }

  ghost() {
    for (const spot of this.cells.values()) spot.classList.remove("ghost", "fits", "misfit", "gl", "gr", "gt", "gb");
    if (!this.mine || this.digit === null) return;
    const [left, low] = this.corner();
    const own = new Set(this.squares().map(([x, y]) => `${x + left},${y + low}`));
    const fits = this.fits();
    for (const name of own) {
      const spot = this.cells.get(name);
      if (!spot) continue;
      const [x, y] = name.split(",").map(Number);
      spot.classList.add("ghost", fits ? "fits" : "misfit");
      for (const [side, dx, dy] of [["gl", -1, 0], ["gr", 1, 0], ["gt", 0, 1], ["gb", 0, -1]]) {
        spot.classList.toggle(side, !own.has(`${x + dx},${y + dy}`));
      }
    }
  }

  // --- placing ---------------------------------------------------------------------------------------------------

  moveTo(x, y) {
    if (!this.mine) return;
    this.cursor = [x, y];
    this.ghost();
  }

  async click(x, y) {
    if (!this.mine) {
      say(this.cells.get(`${x},${y}`).getAttribute("aria-label"));
      return;
    }
    // A finger has not pointed there before: the first touch moves the tile, the second one places it.
    const there = this.cursor[0] === x && this.cursor[1] === y && this.ready === `${x},${y}`;
    this.moveTo(x, y);
    if (matchMedia("(hover: none)").matches && !there) {
      this.ready = `${x},${y}`;
      say(`${this.digit} at column ${x}, row ${y}: ${this.fits() ? "fits" : "does not fit"}. Again to place it.`);
      return;
    }
    await this.put();
  }

  async put() {
    await this.page.play(this.token());
  }

  turnTile(by = 1) {
    this.turn = (this.turn + by + 4) % this.shapes(this.digit).length;
    this.ghost();
    this.drawHand();
    say(`${this.digit} turned: ${this.fits() ? "fits here" : "does not fit here"}`);
  }

  toLevel(level) {
    this.level = Math.max(0, Math.min(level, this.top() + 1));
    this.draw();
    say(`Level ${this.level}`);
  }

  nudge(dx, dy) {
    this.cursor = [this.cursor[0] + dx, this.cursor[1] + dy];
    this.ghost();
    say(`Column ${this.cursor[0]}, row ${this.cursor[1]}: ${this.fits() ? "fits" : "does not fit"}`);
  }

  key(event) {
    if (!this.mine || event.target.matches("input, select")) return;
    const act = { r: () => this.turnTile(), R: () => this.turnTile(-1), PageUp: () => this.toLevel(this.level + 1), PageDown: () => this.toLevel(this.level - 1) }[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (event.key.startsWith("Arrow")) {
      // The focus has moved by now, and the tile with it.
      setTimeout(() => say(`Column ${this.cursor[0]}, row ${this.cursor[1]}, ${this.fits() ? "fits" : "does not fit"}`));
    }
  }

  drawHand() {
    const { view, hand } = this;
    if (view.kind !== "decision") {
      // Also after a look at another level, which leaves the hand as it is.
      if (view.placed.length && !hand.querySelector("#par")) this.offerPar();
      return;
    }
    if (!this.mine) return;
    hand.hidden = false;
    refill(
      hand,
      h("h3", {}, view.mode === "F" ? "Place a tile" : `Place the ${this.digit}`),
      h("div", { class: "in-hand" }, shape(this.squares(), { class: `shape n${this.digit}` })),
      view.mode !== "F" ? "" : h("div", { class: "row", role: "group", "aria-label": "Tile" }, this.digits(view).map((digit) => h("button", {
        type: "button", class: `die n${digit}`, "aria-pressed": String(digit === this.digit), "aria-label": `Tile ${digit}`, "data-tile": digit,
        onclick: () => {
          this.digit = digit;
          this.turn = 0;
          if (!this.fits()) this.suggestPlace();
          this.draw();
        },
      }, String(digit)))),
      h("div", { class: "row" },
        button("←", () => this.nudge(-1, 0), { "aria-label": "Left" }), button("→", () => this.nudge(1, 0), { "aria-label": "Right" }),
        button("↑", () => this.nudge(0, 1), { "aria-label": "Up" }), button("↓", () => this.nudge(0, -1), { "aria-label": "Down" }),
        button("⟳ Turn", () => this.turnTile(), { id: "turn-tile" })),
      h("div", { class: "row" },
        button("Level −", () => this.toLevel(this.level - 1), { disabled: this.level === 0 }),
        button("Level +", () => this.toLevel(this.level + 1), { disabled: this.level > this.top() }),
        button("Place it", () => this.put(), { class: "primary", id: "place" })));
    if (view.placed.length && view.mode === "U") this.offerPar();
  }

  hint(move) {
    const tile = parse(move);
    if (tile.digit === undefined) return;
    [this.digit, this.turn, this.level] = [tile.digit, tile.turn, tile.level];
    this.pointAt(tile.x, tile.y);
    this.draw();
  }

  // --- par, and the engine beside --------------------------------------------------------------------------------

  deckSoFar() {
    return this.page.log.filter((entry) => !entry.chance).map((entry) => entry.move[0]).join("");
  }

  offerPar() {
    const { hand } = this;
    hand.hidden = false;
    const deck = this.deckSoFar();
    if (!deck) return;
    const found = this.parResult;
    hand.append(...[
      h("h3", {}, this.view.result ? "What was possible?" : "Par"),
      found && h("p", { id: "par-result" }, `With ${found.deck.length} cards in this order: ${found.points} points${found.bound === found.points ? ", proven the most" : `, at most ${found.bound}`}. You have ${found.own}.`),
      h("div", { class: "row" },
        button("Par for these cards", () => this.par(deck), { id: "par" }),
        found && button("Show that stack", () => this.page.load({ game: this.page.game, options: {}, start: `- ${found.deck}`, moves: found.plan }, ["you"]))),
    ].filter(Boolean));
  }

  async par(deck) {
    const own = this.view.score;
    const info = await this.page.par(`- ${deck}`);
    if (!info) return;
    this.parResult = { deck, points: info.score.cp / 100, bound: info.bound === null ? "?" : info.bound / 100, own, plan: info.pv };
    this.page.render(false);
    say(`Par is ${this.parResult.points} points`);
  }

  rivalBox() {
    const { rival } = this.page;
    if (!rival) return "";
    const placed = rival.moves.filter((move) => !move.startsWith("draw"));
    return h("section", { class: "rival", "aria-label": "The engine's stack" },
      h("h3", {}, `Engine: ${placed.reduce((sum, move) => sum + parse(move).digit * parse(move).level, 0)} points`),
      h("div", { class: "row" }, stackPictures(placed.map(parse), (digit) => this.shapes(digit))));
  }

  /** The cards that the engine's own stack is to have: one for each placement of the person. */
  cardsDue() {
    const own = this.page.table.moves;
    const cards = own.filter((move) => move.startsWith("draw"));
    return cards.slice(0, own.length - cards.length);
  }

  /** The engine's own stack gets the same cards, one placement after each of the person's. */
  async catchUp() {
    const { page } = this;
    const { rival } = page;
    if (!rival || this.busy || page.table.start !== null) return;
    const due = this.cardsDue();
    const drawn = rival.moves.filter((move) => move.startsWith("draw"));
    const wrong = drawn.findIndex((card, i) => card !== due[i]);
    if (wrong >= 0) {
      rival.moves = rival.moves.slice(0, 2 * wrong);
      page.keep();
      this.drawRival();
    }
    const done = rival.moves.length / 2;
    if (done === due.length || page.thinking) return;
    this.busy = true;
    const moves = [...rival.moves, due[done]];
    const best = await page.think({ movetime: page.settings.time, skill: Number(rival.strength) }, { ...page.table, moves }, "Its own stack");
    this.busy = false;
    if (!best) return;
    if (rival === page.rival) {
      rival.moves = [...moves, best.move];
      page.keep();
      this.drawRival();
    }
    // The next card; and if this one was taken back meanwhile, so is its tile.
    await this.catchUp();
  }

  drawRival() {
    this.root.querySelector(".rival")?.replaceWith(this.rivalBox());
  }

  extras() {
    const { page } = this;
    if (page.table.start !== null) return "";
    return select("Engine builds beside you", [["", "no"], ["20", "yes, full strength"], ["5", "yes, easy"]], page.rival?.strength ?? "", (value) => {
      page.rival = value ? { moves: page.rival?.moves ?? [], strength: value } : null;
      page.keep();
      this.draw();
      this.catchUp();
    });
  }

  typed(view, play) {
    return h("div", { class: "row" }, [...new Set(view.deck)].map((digit) => button(String(digit), () => play(`draw:${digit}`), { class: `die n${digit}`, "aria-label": `The card ${digit} was drawn` })));
  }
}

const extent = (squares) => [0, 1].map((axis) => Math.max(...squares.map((cell) => cell[axis])));

function parse(token) {
  const [, digit, turn, x, y, level] = token.match(/^(\d)([a-d])@(-?\d+),(-?\d+),(\d)$/) ?? [];
  return digit === undefined ? {} : { digit: Number(digit), turn: TURNS.indexOf(turn), x: Number(x), y: Number(y), level: Number(level) };
}

/** The cell of a tile that bears its digit: the one nearest to its middle. */
function middle(tile) {
  const mx = tile.cells.reduce((sum, [x]) => sum + x, 0) / tile.cells.length;
  const my = tile.cells.reduce((sum, [, y]) => sum + y, 0) / tile.cells.length;
  const [x, y] = tile.cells.reduce((best, cell) => (Math.hypot(cell[0] - mx, cell[1] - my) < Math.hypot(best[0] - mx, best[1] - my) ? cell : best));
  return `${x},${y}`;
}

const outline = (cells, left, low, high) => cells.map(([x, y]) => `M${x - left} ${high - 1 - (y - low)}h1v1h-1z`).join("");

function stackPictures(tiles, shapes) {
  const drawn = tiles.map((tile) => ({ ...tile, cells: shapes(tile.digit)[tile.turn % shapes(tile.digit).length].map(([x, y]) => [x + tile.x, y + tile.y]) }));
  const all = drawn.flatMap((tile) => tile.cells);
  if (!all.length) return [h("p", { class: "quiet" }, "It places the same cards after you.")];
  const left = Math.min(...all.map(([x]) => x));
  const low = Math.min(...all.map(([, y]) => y));
  const wide = Math.max(...all.map(([x]) => x)) - left + 1;
  const high = Math.max(...all.map(([, y]) => y)) - low + 1;
  const levels = Math.max(...drawn.map((tile) => tile.level)) + 1;
  return Array.from({ length: levels }, (_, level) => h("figure", { class: "mini" },
    s("svg", { viewBox: `0 0 ${wide} ${high}`, "aria-hidden": "true" },
      drawn.filter((tile) => tile.level === level - 1).map((tile) => s("path", { d: outline(tile.cells, left, low, high), class: "under" })),
      drawn.filter((tile) => tile.level === level).map((tile) => s("path", { d: outline(tile.cells, left, low, high), class: `n${tile.digit}` }))),
    h("figcaption", {}, `Level ${level}`)));
}

/** How to play, for somebody new to the game: a few steps, in our own words, each with a picture. */
export const GUIDE = [
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
];

/** Ways to begin other than the game at the table. */
export function ways(start) {
  const deck = h("input", { type: "text", inputmode: "numeric", id: "deck", placeholder: "31415926890724635087", maxlength: "20" });
  const shuffled = () => {
    const cards = [..."00112233445566778899"];
    for (let i = cards.length - 1; i > 0; i -= 1) {
      const j = Math.floor(Math.random() * (i + 1));
      [cards[i], cards[j]] = [cards[j], cards[i]];
    }
    return cards.join("");
  };
  return h("div", { class: "ways" },
    h("p", {}, "Start deals the cards of the table game one by one, and the engine builds beside you with the same cards. Or build:"),
    h("div", { class: "row" },
      button("Free: any tile, any order", () => start("- *00112233445566778899/20"), { id: "free-build" }),
      button("One of each digit", () => start("- *0123456789/10")),
      button("A known random deck", () => start(`- ${shuffled()}`))),
    h("label", { class: "field" }, h("span", {}, "A deck of your own, in playing order"), deck),
    h("div", { class: "row" }, button("Build with this deck", () => start(`- ${deck.value.trim()}`), { id: "known-deck" })));
}
