/** Deblockle: the board of cubes, the hidden faces, the tips. */

import { button, h, refill, rove, roving, s, say, select, still } from "../dom.js";

const FILES = "abcdefg";
const NAMES = { S: "star", T: "stop", C: "cross", X: "x", L: "slider", H: "hoops" };
const SIDES = { s: "South", n: "North" };
const OPPOSITE = { S: "T", T: "S", C: "X", X: "C", L: "H", H: "L" };
const HOPS = {
  S: "leaves the board",
  T: "stays",
  C: "one step along a rank or file",
  X: "one step diagonally",
  L: "slides along a rank or file",
  H: "three single steps",
};

/** A face's symbol in a box of 40 by 40 around the middle. */
function symbol(face, size = 1) {
  const ink = { fill: "none", stroke: "currentColor", "stroke-width": 5, "stroke-linecap": "round", "stroke-linejoin": "round" };
  const parts = {
    S: () => [s("path", { d: star(16, 6.6), fill: "currentColor" })],
    T: () => [s("rect", { x: -12, y: -12, width: 24, height: 24, rx: 5, fill: "currentColor" })],
    C: () => [s("path", { d: "M0-14V14M-14 0H14", ...ink, "stroke-width": 7 })],
    X: () => [s("path", { d: "M-11-11 11 11M11-11-11 11", ...ink, "stroke-width": 7 })],
    L: () => [s("path", { d: "M-14 0H14M-8-7-15 0-8 7M8-7 15 0 8 7", ...ink })],
    H: () => [[-9, 5], [0, -8], [9, 5]].map(([cx, cy]) => s("circle", { cx, cy, r: 6.5, ...ink, "stroke-width": 3.6 })),
  };
  return s("g", { transform: `scale(${size})` }, parts[face]());
}

function star(outer, inner) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const radius = i % 2 ? inner : outer;
    const angle = (Math.PI * i) / 5;
    return `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

const AROUND = {
  north: { points: "0,0 100,0 78,22 22,22", at: [50, 12.5] },
  east: { points: "100,0 100,100 78,78 78,22", at: [87.5, 50] },
  south: { points: "0,100 100,100 78,78 22,78", at: [50, 87.5] },
  west: { points: "0,0 0,100 22,78 22,22", at: [12.5, 50] },
};

/** A cube from above: the face up in the middle, the four sides as slopes around it. South's cubes are round, North's cut. */
function cube(faces, side) {
  return s("svg", { viewBox: "0 0 100 100", class: `cube side-${side}`, "aria-hidden": "true" },
    s("rect", { width: 100, height: 100, class: "body" }),
    Object.entries(AROUND).map(([where, { points }]) => s("polygon", { points, class: `slope ${where}` })),
    Object.entries(AROUND).map(([where, { at }]) =>
      s("g", { transform: `translate(${at[0]} ${at[1]})`, class: "ink" }, symbol(faces[where], 0.42))),
    s("rect", { x: 22, y: 22, width: 56, height: 56, rx: side === "s" ? 10 : 2, class: "top" }),
    s("g", { transform: "translate(50 50)", class: "ink" }, symbol(faces.up, 1.25)));
}

const NET = { north: [1, 0], west: [0, 1], up: [1, 1], east: [2, 1], south: [1, 2], down: [3, 1] };

/** The cube unfolded: all six faces. */
function net(faces, side) {
  return s("svg", { viewBox: "0 0 164 124", class: `net side-${side}`, role: "img", "aria-label": inWords(faces) },
    Object.entries(NET).map(([where, [x, y]]) =>
      s("g", { transform: `translate(${x * 40 + 2} ${y * 40 + 2})` },
        s("rect", { width: 40, height: 40, class: where === "up" ? "top" : where === "down" ? "hidden-face" : "body", rx: 3 }),
        s("g", { transform: "translate(20 20)", class: "ink" }, symbol(faces[where], 0.72)))));
}

const inWords = (faces) => `${NAMES[faces.up]} up, ${NAMES[faces.north]} north, ${NAMES[faces.east]} east, ${NAMES[faces.south]} south, ${NAMES[faces.west]} west, ${NAMES[faces.down]} below`;

/** A cube in three dimensions that can be rolled. */
function solid(faces, side) {
  const scene = h("div", { class: `scene side-${side}`, "aria-hidden": "true" },
    h("div", { class: "solid" }, Object.entries(faces).filter(([where]) => where in NET).map(([where, face]) =>
      h("div", { class: `face ${where}` }, s("svg", { viewBox: "-20 -20 40 40" }, s("g", { class: "ink" }, symbol(face)))))));
  return scene;
}

export class Board {
  constructor(page, root, hand) {
    this.page = page;
    this.hand = hand;
    this.squares = new Map();
    this.chosen = null; // a square
    this.tip = null;
    this.placing = { face: null };
    this.editing = null;
    const rows = [];
    for (let rank = 7; rank >= 1; rank -= 1) {
      const cells = [...FILES].map((file, x) => {
        const name = `${file}${rank}`;
        const square = h("button", {
          type: "button", class: `square ${(x + rank) % 2 ? "dark" : "light"}`, "data-square": name, "data-x": x, "data-y": rank, tabindex: -1,
          onclick: () => this.click(name), onmouseenter: () => this.look(name), onfocus: () => this.look(name),
        });
        this.squares.set(name, square);
        return h("div", { role: "gridcell" }, square);
      });
      rows.push(h("div", { role: "row", class: "rank" }, h("span", { class: "label", "aria-hidden": "true" }, String(rank)), cells));
    }
    this.grid = h("div", { class: "deblockle", role: "grid", "aria-label": "Deblockle board, seven by seven squares" }, rows,
      h("div", { class: "rank", "aria-hidden": "true" }, h("span", { class: "label" }), [...FILES].map((file) => h("span", { class: "label" }, file))));
    roving(this.grid, (x, y) => this.squares.get(`${FILES[x]}${y}`));
    this.grid.addEventListener("mouseleave", () => this.inspect(null));
    this.inspector = h("div", { class: "inspector" });
    root.append(h("div", { class: "deblockle-stage" }, this.grid, this.inspector));
    rove(this.grid, this.squares.get("c1"), false);
  }

  /** A search's score in words: it runs from a sure loss to a sure win. */
  score(score) {
    return `${score.cp > 0 ? "+" : ""}${score.cp} %`;
  }

  /** The expected result as a bar. */
  meter({ score }) {
    if (!score) return null;
    const mover = score.mate === null ? score.cp : Math.sign(score.mate) * 100;
    const south = this.page.view.player === 0 ? mover : -mover;
    return h("div", { class: "meter" }, h("span", {}, "South"),
      h("meter", { min: -100, max: 100, value: south, "aria-label": `Expected result for South: ${south} of 100` }),
      h("span", {}, "North"));
  }

  name(player) {
    return ["South", "North"][player];
  }

  doing(view) {
    if (view.phase === "place") return `places a block of ${this.name(1 - view.player)}`;
    return view.legal?.[0] === "0000" ? "has no move and must pass" : "to move";
  }

  chance(view) {
    return `${this.name(view.player)} rolls the blocks of ${this.name(1 - view.player)}`;
  }

  // --- drawing ---------------------------------------------------------------------------------------------------

  show(view, { mine, last, animate }) {
    this.view = view;
    this.mine = mine;
    this.last = last;
    this.chosen = null;
    this.tip = null;
    this.editing = null;
    this.draw();
    this.inspect(null);
    if (mine && view.phase === "place") this.offerPlacing();
    if (mine && view.legal[0] === "0000") this.offerPass();
    if (animate && last && !still()) this.animate(last.move);
  }

  block(square) {
    return this.view.blocks.find((block) => block.square === square);
  }

  tips() {
    return this.view.tips.filter((tip) => tip.from === this.chosen);
  }

  /** The tip of the chosen block onto a square, while one is to be chosen. */
  aimed(name) {
    return this.chosen && !this.tip ? this.tips().find((one) => one.to === name) : undefined;
  }

  targets() {
    if (this.view.phase === "place") return this.mine ? [...new Set(this.view.legal.map((move) => move.slice(0, 2)))] : [];
    return this.tip ? this.tip.moves.map((move) => move.slice(4)).filter(Boolean) : [];
  }

  draw() {
    const { view, last, mine } = this;
    const trail = last && /^[a-g][1-7][a-g][1-7]/.test(last.move) ? [last.move.slice(0, 2), last.move.slice(-2)] : [];
    const targets = this.targets();
    const movable = mine && !this.chosen ? new Set(view.tips.filter((tip) => tip.moves.length).map((tip) => tip.from)) : new Set();
    for (const [name, square] of this.squares) {
      const shown = this.shown(name);
      const tip = this.aimed(name);
      const classes = {
        chosen: name === this.chosen && !this.tip, movable: movable.has(name), target: targets.includes(name),
        tip: Boolean(tip), legal: tip?.moves.length > 0, trail: trail.includes(name), hinted: this.hinted?.includes(name),
        rolled: this.tip?.to === name,
      };
      for (const [one, on] of Object.entries(classes)) square.classList.toggle(one, Boolean(on));
      square.replaceChildren(...this.inside(name, shown, tip, targets.includes(name)));
      square.setAttribute("aria-label", this.label(name, shown, tip, targets.includes(name)));
      square.setAttribute("aria-pressed", String(name === this.chosen));
    }
  }

  /** The block that is drawn on a square: while a tip is chosen, its block stands on the tip's square. */
  shown(name) {
    if (this.tip && name === this.tip.from) return null;
    if (this.tip && name === this.tip.to) return { ...this.tip.faces, side: this.view.turn };
    return this.block(name) ?? null;
  }

  inside(name, shown, tip, target) {
    const parts = [];
    const home = Object.entries(this.view.stars).find(([, square]) => square === name);
    if (home && !shown) {
      parts.push(s("svg", { viewBox: "-20 -20 40 40", class: `home side-${home[0]}`, "aria-hidden": "true" }, s("path", { d: star(17, 7) })));
    }
    if (shown) parts.push(cube(shown, shown.side));
    if (tip) {
      // On a block there is no room for the face that would come up.
      parts.push(h("span", { class: shown ? "ghost taken" : "ghost", "aria-hidden": "true" },
        shown ? "" : s("svg", { viewBox: "-20 -20 40 40" }, symbol(tip.faces.up, 0.8)), tip.moves.length ? "" : h("span", { class: "no" }, "✕")));
    }
    if (target) parts.push(s("svg", { viewBox: "-10 -10 20 20", class: "mark", "aria-hidden": "true" }, s("circle", { r: 5 }), s("circle", { r: 1.6, class: "dot" })));
    return parts;
  }

  label(name, shown, tip, target) {
    const words = [name];
    const home = Object.entries(this.view.stars).find(([, square]) => square === name);
    if (home) words.push(`home star of ${SIDES[home[0]]}`);
    words.push(shown ? `${SIDES[shown.side]} block, ${inWords(shown)}` : home ? "" : "empty");
    if (tip) {
      words.push(tip.moves.length ? `tip here: ${NAMES[tip.faces.up]} up, ${HOPS[tip.faces.up]}` : `no tip here: ${tip.why}`);
    }
    if (target) words.push(this.view.phase === "place" ? "place here" : "hop here");
    return words.filter(Boolean).join(", ");
  }

  /** Show the block of a square with its hidden faces, or where a tip leads. */
  look(name) {
    if (!this.view) return;
    const tip = this.aimed(name);
    for (const square of this.squares.values()) square.classList.remove("ahead");
    if (tip) {
      for (const move of tip.moves) this.squares.get(move.slice(4) || tip.to)?.classList.add("ahead");
      this.inspect(tip.faces, this.view.turn, tip);
      return;
    }
    const shown = this.shown(name);
    this.inspect(shown, shown?.side, null);
  }

  inspect(faces, side, tip) {
    const chosen = this.chosen && this.block(this.chosen);
    if (!faces && chosen) [faces, side] = [this.tip?.faces ?? chosen, chosen.side];
    if (!faces) {
      this.inspector.replaceChildren(h("p", { class: "quiet" }, this.race()), h("p", { class: "quiet" }, "Point at a block to see all its faces; choose one to see where its tips lead."));
      return;
    }
    const ahead = tip ? `Tipped ${tip.direction}: ${NAMES[faces.up]} up. ${tip.moves.length ? `It ${tip.moves.length > 1 || tip.moves[0].length > 4 ? `hops: ${HOPS[faces.up]}, ${count(tip.moves.length, "target")}` : HOPS[faces.up]}.` : `Not legal: ${tip.why}.`}` : `${SIDES[side]}: ${inWords(faces)}.`;
    const cubeInSpace = solid(faces, side);
    this.inspector.replaceChildren(cubeInSpace, net(faces, side), h("p", {}, ahead));
    if (tip && !still()) {
      const from = { north: "rotateX(90deg)", south: "rotateX(-90deg)", east: "rotateY(-90deg)", west: "rotateY(90deg)" }[tip.direction];
      const base = "rotateX(50deg) rotateZ(-28deg)";
      cubeInSpace.firstChild.animate([{ transform: `${base} ${from}` }, { transform: base }], { duration: 380, easing: "ease-out" });
    }
  }

  race() {
    const [south, north] = this.view.turns_left;
    return this.view.phase === "play" ? `The race: South needs ${south} turns to leave and North ${north}, if every block were alone.` : "";
  }

  animate(move) {
    const squares = move.match(/[a-g][1-7]/g);
    if (!squares || squares.length < 2) return;
    const last = squares.at(-1);
    const drawn = this.squares.get(last).querySelector(".cube");
    if (!drawn) return;
    const size = this.squares.get(last).offsetWidth + 4;
    const offset = (square) => {
      const x = (FILES.indexOf(square[0]) - FILES.indexOf(last[0])) * size;
      const y = (Number(last[1]) - Number(square[1])) * size;
      return `translate(${x}px, ${y}px)`;
    };
    const [from, tip] = squares;
    drawn.animate([
      { transform: `${offset(from)} scale(1)`, offset: 0 },
      { transform: `${offset(tip)} scale(0.82)`, offset: 0.35 },
      { transform: `${offset(tip)} scale(1)`, offset: 0.5 },
      { transform: "none", offset: 1 },
    ], { duration: 650, easing: "ease-in-out" });
  }

  // --- moving ----------------------------------------------------------------------------------------------------

  async click(name) {
    if (this.editing) {
      this.editAt(name);
      return;
    }
    this.hinted = null;
    if (!this.mine) {
      say(this.squares.get(name).getAttribute("aria-label"));
      return;
    }
    if (this.view.phase === "place") {
      await this.page.play(name + this.orientation());
      return;
    }
    if (!this.chosen) {
      if (this.block(name)?.side !== this.view.turn) {
        await this.page.play(name + name);
        return;
      }
      this.choose(name);
      return;
    }
    if (this.tip) {
      if (name === this.tip.to) {
        this.escape();
        return;
      }
      await this.page.play(this.tip.from + this.tip.to + name);
      return;
    }
    const tip = this.tips().find((one) => one.to === name);
    if (name === this.chosen) this.escape();
    else if (this.block(name)?.side === this.view.turn) this.choose(name);
    else if (tip && tip.moves.length && tip.moves[0].length > 4) this.tipTo(tip);
    else await this.page.play(this.chosen + name);
  }

  choose(name) {
    this.chosen = name;
    this.tip = null;
    this.draw();
    this.look(name);
    const tips = this.tips().map((tip) => `${tip.direction}: ${NAMES[tip.faces.up]}${tip.moves.length ? "" : ", not legal"}`);
    say(`${name} chosen. Tips: ${tips.join("; ")}. Escape to let go.`);
  }

  tipTo(tip) {
    this.tip = tip;
    this.draw();
    this.inspect(tip.faces, this.view.turn, null);
    say(`Tipped ${tip.direction}, ${NAMES[tip.faces.up]} up. Hop to ${this.targets().join(", ")}.`);
  }

  escape() {
    if (this.tip) this.tip = null;
    else this.chosen = null;
    this.draw();
    this.inspect(null);
  }

  hint(move) {
    this.hinted = move.match(/[a-g][1-7]/g) ?? [];
    this.draw();
  }

  offerPass() {
    this.hand.hidden = false;
    this.hand.append(h("h3", {}, "No move is possible"), button("Pass", () => this.page.play("0000"), { class: "primary", id: "pass" }));
  }

  // --- the set-up ------------------------------------------------------------------------------------------------

  /** The four ways to turn a face, in the order of quarter turns. */
  turns(face) {
    return this.page.catalogue[this.page.game].orientations.filter((name) => name[0] === face);
  }

  orientation() {
    const ways = this.turns(this.placing.face);
    // From one to the next by a quarter turn: what was north is then east.
    let way = ways[0];
    for (let i = 0; i < this.placing.turn; i += 1) way = ways.find((other) => other[2] === way[1]);
    return way;
  }

  offerPlacing() {
    const faces = [...new Set(this.view.unplaced)];
    if (!faces.includes(this.placing.face)) this.placing = { face: faces[0] };
    const side = this.view.player === 0 ? "n" : "s";
    const name = this.orientation();
    const shown = sixFaces(name);
    this.hand.hidden = false;
    refill(
      this.hand,
      h("h3", {}, `Place a block of ${SIDES[side]}`),
      h("div", { class: "row", role: "group", "aria-label": "Faces rolled" },
        faces.map((face) => h("button", {
          type: "button", class: "die", "aria-pressed": String(face === this.placing.face), "aria-label": `${NAMES[face]} up`, "data-face": face,
          onclick: () => {
            this.placing = { face };
            this.offerPlacing();
          },
        }, s("svg", { viewBox: "-20 -20 40 40", "aria-hidden": "true" }, symbol(face))))),
      h("div", { class: "row" }, h("div", { class: "preview" }, cube(shown, side)),
        button("⟳ Turn it", () => {
          this.placing.turn = (this.placing.turn + 1) % 4;
          this.offerPlacing();
          say(inWords(sixFaces(this.orientation())));
        }, { id: "turn-block" })),
      h("p", { class: "quiet" }, "Then choose one of the marked squares."));
  }

  /** Faces of real dice, typed in. */
  typed(view, play) {
    const dice = Number(view.fen.match(/setup:(\d)v(\d)/)[view.player === 0 ? 2 : 1]);
    const chosen = Array.from({ length: dice }, () => "S");
    return h("div", {},
      h("div", { class: "row" }, chosen.map((face, i) => select(`Block ${i + 1}`, Object.entries(NAMES), face, (value) => {
        chosen[i] = value;
      }))),
      button("These were rolled", () => play(`roll:${chosen.join("")}`), { class: "primary", id: "typed" }));
  }

  // --- any position ----------------------------------------------------------------------------------------------

  edit(view) {
    this.editing = { blocks: view.blocks.map((block) => ({ ...block })), side: view.turn, put: "s", way: this.page.catalogue[this.page.game].orientations[0] };
    this.chosen = null;
    this.offerEditing();
  }

  offerEditing() {
    const editing = this.editing;
    const ways = this.page.catalogue[this.page.game].orientations;
    this.hand.hidden = false;
    refill(
      this.hand,
      h("h3", {}, "Edit the position"),
      select("A click puts", [["s", "a block of South"], ["n", "a block of North"], ["-", "nothing: it clears the square"]], editing.put, (value) => {
        editing.put = value;
        this.offerEditing();
      }),
      h("div", { class: "row" }, editing.put !== "-" && h("div", { class: "preview" }, cube(sixFaces(editing.way), editing.put)),
        select("Faces up, north, east", ways.map((way) => [way, `${NAMES[way[0]]}, ${NAMES[way[1]]}, ${NAMES[way[2]]}`]), editing.way, (value) => {
          editing.way = value;
          this.offerEditing();
        })),
      select("To move", Object.entries(SIDES), editing.side, (value) => {
        editing.side = value;
      }),
      h("div", { class: "row" },
        button("Clear the board", () => {
          editing.blocks = [];
          this.view.blocks = [];
          this.draw();
        }),
        button("Play from here", () => this.page.setUp(this.edited()), { class: "primary", id: "edited" })));
  }

  editAt(name) {
    const editing = this.editing;
    editing.blocks = editing.blocks.filter((block) => block.square !== name);
    if (editing.put !== "-") editing.blocks.push({ square: name, side: editing.put, ...sixFaces(editing.way) });
    this.view = { ...this.view, blocks: editing.blocks, tips: [] };
    this.draw();
    this.editing = editing;
  }

  edited() {
    const side = (one) => this.editing.blocks.filter((block) => block.side === one).map((block) => block.square + block.up + block.north + block.east).join(",") || "-";
    return `${side("s")} ${side("n")} ${this.editing.side}`;
  }
}

/** All faces of an orientation written as up, north, east. */
function sixFaces(name) {
  const [up, north, east] = name;
  return { up, north, east, south: OPPOSITE[north], west: OPPOSITE[east], down: OPPOSITE[up] };
}

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

const cubes = (...names) => () => h("div", { class: "pictures" }, names.map(([way, side]) => h("div", { class: "preview" }, cube(sixFaces(way), side))));
const faces = (...letters) => () => h("div", { class: "pictures" }, letters.map(([letter, text]) =>
  h("figure", {}, s("svg", { viewBox: "-20 -20 40 40", class: "icon", "aria-hidden": "true" }, symbol(letter)), h("figcaption", {}, text))));

/** How to play, for somebody new to the game: a few steps, in our own words, each with a picture. */
export const GUIDE = [
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
];
