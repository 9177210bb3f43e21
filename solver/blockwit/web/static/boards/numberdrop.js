/** Number Drop: sheets, dice, the falling shape, claims. */

import { button, h, refill, rove, roving, say, select, shape } from "../dom.js";
import { little, shapes } from "./pictures.js";

const COLUMNS = "abcdefg";
const ROWS = 14;
const LINE = 11;
const SIZES = [3, 4, 5, 6, 7];
const SHAPES = ["I", "O", "T", "L", "S"];

const at = (name) => [COLUMNS.indexOf(name[0]), Number(name.slice(1))];
const upright = (cells) => cells.map(([row, column]) => [column, row]);

/** A new game shows its rule options at once. */
export const OPTIONS_OPEN = true;

export class Board {
  constructor(page, root, hand) {
    this.page = page;
    this.hand = hand;
    this.root = h("div", { class: "numberdrop" });
    root.append(this.root);
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  rolling(view) {
    return view.phase === "tile" ? "Draw a tile" : "Roll the dice";
  }

  name(player) {
    return this.page.view?.solo ? "You" : `Player ${player + 1}`;
  }

  doing(view) {
    return {
      write: "to write the first number", slide: "to slide a tile", drop: "to drop",
      block: `to drop the tile of ${view.fires} as X`,
    }[view.phase] ?? "";
  }

  chance(view) {
    if (view.phase !== "tile") return "The dice are to be rolled";
    const letter = view.letters.find((entry) => entry.tile === null);
    return `A tile is to be drawn for ${letter?.letter ?? "A"}`;
  }

  // --- drawing ---------------------------------------------------------------------------------------------------

  show(view, { mine, last }) {
    this.view = view;
    this.mine = mine;
    this.last = last;
    this.stage = mine ? view.phase : "watch";
    this.place = null;
    this.digits = [];
    this.picked = null;
    this.claiming = null;
    this.marked = new Set();
    this.editing = null;
    this.shown = this.showing(view);
    if (mine && view.phase === "drop") {
      this.digits = [...view.dice.numbers].map((digit) => ({ die: digit, value: digit === "*" ? "0" : digit }));
    }
    if (mine && view.places.length) this.choosePlace(view.places[Math.floor(view.places.length / 2)], false);
    this.draw();
  }

  /** Whose sheet is the large one: the player's whose turn it is, or the person's. */
  showing(view) {
    if (this.mine || view.seats === 1) return view.player;
    const person = this.page.seats.indexOf("you");
    return person >= 0 ? person : view.player;
  }

  draw() {
    const { view } = this;
    const others = view.sheets.map((sheet, i) => [sheet, i]).filter(([, i]) => i !== this.shown);
    refill(
      this.root,
      this.dice(),
      h("div", { class: "sheets" },
        this.sheet(view.sheets[this.shown], this.shown, true),
        others.length > 0 && h("div", { class: "others" }, others.map(([sheet, i]) => this.sheet(sheet, i, false)))));
    this.drawHand();
  }

  dice() {
    const { dice, letters, solo } = this.view;
    const faces = dice ? [...dice.numbers].map((face) => h("span", { class: "dice" }, face === "*" ? "★" : face)) : [];
    const pieces = this.page.catalogue[this.page.game].pieces;
    const shapeDie = dice && h("span", { class: "dice" }, dice.shape === "*" ? "★" : shape(upright(pieces[`${dice.shape}4`][0])));
    const text = dice ? `Rolled ${[...dice.numbers].map((face) => (face === "*" ? "star" : face)).join(", ")} and shape ${dice.shape === "*" ? "star" : dice.shape}` : "No dice rolled";
    const track = letters.map(({ letter, tile, notch, crossed }) => {
      const fires = this.view.fires === letter;
      const words = `${letter}: ${tile ?? "no tile"}${crossed ? ", crossed" : ""}${solo ? `, notch ${notch} of 4` : ""}${fires ? ", fires" : ""}`;
      const slide = this.mine && this.view.moves?.includes(`slide:${letter}`);
      return h(slide ? "button" : "div", {
        class: `letter ${crossed ? "crossed" : ""} ${fires ? "fires" : ""}`, "aria-label": slide ? `Slide ${words}` : words,
        role: slide ? null : "img", type: slide ? "button" : null, "data-letter": letter,
        onclick: slide ? () => this.page.play(`slide:${letter}`) : null,
      }, h("b", {}, letter), tile ? shape(upright(pieces[tile][0])) : h("span", { class: "quiet" }, "?"),
      solo && h("span", { class: "notches" }, [1, 2, 3, 4].map((k) => h("i", { class: k <= notch ? "on" : "" }))));
    });
    return h("div", { class: "table-top" },
      h("div", { class: "dicebox", role: "img", "aria-label": text }, faces, shapeDie),
      h("div", { class: "letters" }, track));
  }

  sheet(sheet, player, main) {
    const claims = new Map(sheet.claims.flatMap(({ box, cells }) => cells.map((cell) => [cell, box])));
    const rows = main && this.claiming ? this.claiming.rows : sheet.rows;
    const ghost = main && this.place && !this.claiming ? new Map(this.place.cells.map((cell, i) => [cell, this.digits[i]?.value ?? "X"])) : new Map();
    const fresh = this.fresh(player);
    if (main) this.cells = new Map();
    const lines = rows.map((row, i) => {
      const rank = ROWS - i;
      const cells = [...row].map((mark, x) => {
        const name = `${COLUMNS[x]}${rank}`;
        const box = claims.get(name);
        const classes = [
          "cell", mark === "X" ? "x" : "", mark !== "." && mark !== "X" ? `d${mark}` : "", box ? `claimed ${box[0]}` : "",
          rank > LINE ? "over" : "", ghost.has(name) ? `ghost d${ghost.get(name)}` : "", main && this.marked.has(name) ? "marked" : "",
          main && this.mine && this.view.moves?.includes(`write:${name}`) ? "target" : "", fresh.has(name) ? "fresh" : "",
        ].join(" ");
        const text = ghost.get(name) ?? (mark === "." ? "" : mark === "X" ? "✕" : mark);
        const mark2 = box && h("sup", { "aria-hidden": "true" }, { I: "●", S: "▲", B: "★" }[box[0]]);
        if (!main) return h("span", { class: classes }, text, mark2);
        const what = mark === "." ? "empty" : mark === "X" ? "crossed out" : mark;
        const used = box ? `, claimed as ${this.boxName(box)}` : "";
        const cell = h("button", {
          type: "button", class: classes, "data-cell": name, "data-x": x, "data-y": rank, tabindex: -1,
          "aria-label": `${name} ${what}${used}${ghost.has(name) ? `, ${ghost.get(name)} would land here` : ""}`,
          "aria-pressed": this.claiming ? String(this.marked.has(name)) : null,
          onclick: () => this.click(name), onmouseenter: () => this.point(x),
        }, text, mark2);
        this.cells.set(name, cell);
        return h("div", { role: "gridcell" }, cell);
      });
      const full = rank <= LINE && !row.includes(".");
      return h("div", { role: main ? "row" : null, class: `sheet-row ${rank === LINE + 1 ? "line" : ""}` },
        h("span", { class: "label", "aria-hidden": "true" }, String(rank)), cells,
        h("span", { class: `bonus ${full ? "full" : ""}`, "aria-hidden": "true" }, rank <= LINE ? "+2" : "−5"));
    });
    const grid = h("div", { class: "sheet-grid", role: main ? "grid" : "img", "aria-label": main ? `Sheet of ${this.name(player)}` : `Sheet of ${this.name(player)}: ${sheet.score.total} points, rows from the top: ${rows.filter((row) => row !== ".......").join("; ") || "empty"}` }, lines);
    if (main) {
      roving(grid, (x, y) => this.cells.get(`${COLUMNS[x]}${y}`));
      rove(grid, this.cells.get(this.place ? this.place.cells[0] : "d1") ?? this.cells.get("d1"), false);
    }
    return h("section", { class: main ? "sheet main" : "sheet", "aria-label": `${this.name(player)}, ${sheet.score.total} points` },
      h("h3", {}, `${this.name(player)}: ${sheet.score.total} points`), h("div", { class: "sheet-body" }, grid, this.boxes(sheet, main)));
  }

  /** Cells that the last move filled on a sheet. */
  fresh(player) {
    if (!this.last || this.last.chance || this.last.player !== player) return new Set();
    return new Set([...this.last.words.split(";")[0].matchAll(/\b([a-g]\d+)\b/g)].map(([cell]) => cell));
  }

  boxName(box) {
    return box[0] === "B" ? "the bonus box" : `${box[0] === "I" ? "identical" : "straight"} ${box[1]}`;
  }

  boxes(sheet) {
    const filled = new Set(sheet.claims.map(({ box }) => box));
    const box = (name, text) => h("span", { class: `box ${filled.has(name) ? "on" : ""}`, role: "img", "aria-label": `${this.boxName(name)} ${filled.has(name) ? "claimed" : "open"}` }, filled.has(name) ? `${text} ✓` : text);
    return h("div", { class: "boxes" },
      h("div", { class: "box-head", "aria-hidden": "true" }, h("span", { title: "identical" }, "● ="), h("span", {}, ""), h("span", { title: "straight" }, "▲ 123")),
      SIZES.map((size, i) => h("div", { class: "box-row" }, box(`I${size}`, String(size)),
        h("span", { class: `circle ${sheet.circled.includes("ABCDE"[i]) ? "on" : ""}`, role: "img", "aria-label": `letter ${"ABCDE"[i]}${sheet.circled.includes("ABCDE"[i]) ? " circled" : ""}` }, "ABCDE"[i]),
        box(`S${size}`, String(size)))),
      h("div", { class: "box-row one" }, box("B8", "★ 8")));
  }

  // --- the falling shape -----------------------------------------------------------------------------------------

  parse(head) {
    const [, piece, turn, column] = head.match(/^(?:x:)?([A-Z]\d?)r?(\d)@(\d)$/);
    return { piece, turn: Number(turn), column: Number(column) };
  }

  choosePlace(place, tell = true) {
    this.place = place;
    if (tell) say(`${place.head.includes("x:") ? "X" : place.head[0]} lands on ${place.cells.map((cell, i) => (this.digits[i] ? `${cell} ${this.digits[i].value}` : cell)).join(", ")}`);
  }

  /** The place with this piece and turn that is nearest to a column. */
  near(piece, turn, column) {
    const ways = this.view.places.map((place) => [place, this.parse(place.head)]).filter(([, way]) => way.piece === piece && way.turn === turn);
    ways.sort((a, b) => Math.abs(a[1].column - column) - Math.abs(b[1].column - column));
    return ways[0]?.[0];
  }

  point(x) {
    if (!this.place || this.claiming) return;
    const now = this.parse(this.place.head);
    const wide = new Set(this.place.cells.map((cell) => cell[0])).size;
    this.shift(this.near(now.piece, now.turn, x + 1 - Math.floor((wide - 1) / 2)));
  }

  shift(place) {
    if (!place || place === this.place) return;
    this.choosePlace(place);
    this.redrawGhost();
  }

  /** Only the cells change while the shape is moved: a new drawing would lose the pointer. */
  redrawGhost() {
    const rows = this.view.sheets[this.shown].rows;
    const ghost = new Map(this.place.cells.map((cell, i) => [cell, this.digits[i]?.value ?? "✕"]));
    for (const [name, cell] of this.cells) {
      const [x, rank] = at(name);
      const mark = rows[ROWS - rank][x];
      if (mark !== ".") continue;
      const digit = ghost.get(name);
      cell.className = `cell ${rank > LINE ? "over" : ""} ${digit ? `ghost d${digit}` : ""}`;
      cell.textContent = digit ?? "";
      cell.setAttribute("aria-label", `${name} empty${digit ? `, ${digit} would land here` : ""}`);
    }
  }

  turn(by) {
    const { piece, turn, column } = this.parse(this.place.head);
    const count = this.page.catalogue[this.page.game].pieces[piece.length > 1 ? piece : `${piece}4`].length;
    for (let i = 1; i <= count; i += 1) {
      const place = this.near(piece, (turn + by * i + count * i) % count, column);
      if (place) {
        this.shift(place);
        return;
      }
    }
  }

  /** Mirror: the second half of the orientations are the mirrored ones, where a piece has them. */
  flip() {
    const { piece, turn, column } = this.parse(this.place.head);
    const turns = this.page.catalogue[this.page.game].pieces[piece.length > 1 ? piece : `${piece}4`];
    const key = (cells) => cells.map(([row, x]) => `${row},${x}`).sort().join(" ");
    const wide = Math.max(...turns[turn].map(([, x]) => x));
    const mirrored = key(turns[turn].map(([row, x]) => [row, wide - x]));
    this.shift(this.near(piece, turns.findIndex((cells) => key(cells) === mirrored), column));
  }

  slide(by) {
    const { piece, turn, column } = this.parse(this.place.head);
    this.shift(this.near(piece, turn, column + by));
  }

  key(event) {
    if (!this.place || this.claiming || event.target.matches("input, select")) return;
    const act = { r: () => this.turn(1), R: () => this.turn(-1), f: () => this.flip(), ArrowLeft: () => this.slide(-1), ArrowRight: () => this.slide(1), ArrowUp: () => this.turn(1), ArrowDown: () => this.turn(-1) }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  async click(name) {
    if (this.editing) {
      this.editAt(name);
    } else if (!this.mine) {
      say(this.cells.get(name).getAttribute("aria-label"));
    } else if (this.view.phase === "write") {
      await this.page.play(`write:${name}`);
    } else if (this.claiming) {
      if (this.marked.has(name)) this.marked.delete(name);
      else this.marked.add(name);
      this.draw();
    } else if (this.place) {
      await this.drop();
    }
  }

  async drop() {
    if (this.view.phase === "block") {
      await this.page.play(this.place.head);
      return;
    }
    const move = this.place.head === "skip" ? "skip" : `${this.place.head}:${this.digits.map(({ value }) => value).join("")}`;
    const { serial } = this.page;
    const answer = await this.page.request({ do: "claims", move });
    // Dropped twice, or something else has been done since.
    if (!answer || serial !== this.page.serial || this.claiming) return;
    if (answer.is === "illegal") {
      this.page.refuse(answer);
      return;
    }
    if (answer.claims.length === 0) {
      await this.page.play(move);
      return;
    }
    this.claiming = { drop: move, rows: answer.rows, claims: answer.claims };
    this.marked = new Set();
    this.draw();
    say(`Dropped. ${answer.claims.length} claims are possible. Mark cells, choose a claim, or go on without one.`);
    this.hand.querySelector("button")?.focus();
  }

  escape() {
    if (!this.claiming) return;
    this.claiming = null;
    this.marked = new Set();
    this.draw();
  }

  async claim() {
    const cells = [...this.marked];
    const rows = this.claiming.rows;
    const digits = cells.map((cell) => {
      const [x, rank] = at(cell);
      return rows[ROWS - rank][x];
    });
    const kind = new Set(digits).size === 1 ? "I" : "S";
    await this.page.play(`${this.claiming.drop}+${kind}${cells.length}:${cells.join(",")}`);
  }

  // --- what is in the hand ---------------------------------------------------------------------------------------

  drawHand() {
    const { view, hand, mine } = this;
    if (!mine || this.editing) return;
    hand.hidden = false;
    if (view.phase === "write") refill(hand, h("h3", {}, "Write your number"), h("p", {}, "Choose a cell of the lowest row."));
    else if (view.phase === "slide") refill(hand, h("h3", {}, "Slide a tile"), h("p", {}, "One of the tiles A to E slides down a notch. At the fourth it drops onto your sheet as X."), h("div", { class: "row" }, view.moves.map((move) => button(move.slice(-1), () => this.page.play(move), { "data-move": move, "aria-label": `Slide ${move.slice(-1)}` }))));
    else if (this.claiming) refill(hand, ...this.claimTools());
    else if (!view.places.length) refill(hand, h("h3", {}, "No place fits"), button("Go on", () => (view.phase === "drop" ? this.skip() : this.page.play(view.moves[0])), { class: "primary" }));
    else refill(hand, ...this.dropTools());
  }

  async skip() {
    this.place = { head: "skip", cells: [] };
    await this.drop();
  }

  dropTools() {
    const { view } = this;
    const piece = this.parse(this.place.head).piece;
    const wild = view.phase === "drop" && view.dice.shape === "*";
    const pieces = this.page.catalogue[this.page.game].pieces;
    return [
      h("h3", {}, view.phase === "block" ? `Drop the tile of ${view.fires} as X` : "Drop the shape"),
      wild && h("div", { class: "row", role: "group", "aria-label": "Any shape" }, SHAPES.map((name) => h("button", {
        type: "button", class: "die", "aria-pressed": String(name === piece), "aria-label": `Shape ${name}`, "data-shape": name,
        onclick: () => {
          this.shift(this.view.places.find((place) => place.head[0] === name));
          this.drawHand();
        },
      }, shape(upright(pieces[`${name}4`][0]))))),
      h("div", { class: "row" },
        button("◀", () => this.slide(-1), { "aria-label": "Move left" }), button("▶", () => this.slide(1), { "aria-label": "Move right" }),
        button("⟳ Turn", () => this.turn(1), { id: "turn-shape" }), button("⇋ Mirror", () => this.flip())),
      view.phase === "drop" && h("div", {},
        h("p", { class: "quiet" }, "The numbers in reading order of the shape; choose two to swap them."),
        h("div", { class: "row", role: "group", "aria-label": "Order of the numbers" }, this.digits.map((digit, i) => this.digit(digit, i)))),
      button("Drop it", () => this.drop(), { class: "primary", id: "drop" }),
    ].filter(Boolean);
  }

  digit(digit, i) {
    const swap = () => {
      if (this.picked === null) {
        this.picked = i;
      } else {
        [this.digits[this.picked], this.digits[i]] = [this.digits[i], this.digits[this.picked]];
        this.picked = null;
        this.redrawGhost();
      }
      this.drawHand();
    };
    return h("span", { class: "digit" },
      button(digit.value, swap, { class: `die d${digit.value}`, "aria-pressed": String(this.picked === i), "data-digit": i, "aria-label": `Number ${i + 1}: ${digit.value}` }),
      digit.die === "*" && h("select", {
        "aria-label": `Joker ${i + 1}`,
        onchange: (event) => {
          digit.value = event.target.value;
          this.redrawGhost();
          this.drawHand();
        },
      }, [..."0123456789"].map((value) => h("option", { value, selected: value === digit.value }, value))));
  }

  claimTools() {
    const { claims, drop } = this.claiming;
    const best = [];
    // The best of each kind and size; the board takes any other one.
    for (const claim of claims) if (!best.some((other) => other.slice(0, 2) === claim.slice(0, 2))) best.push(claim);
    return [
      h("h3", {}, "Claim a group?"),
      h("p", { class: "quiet" }, `${this.marked.size} cells marked. Mark cells on the sheet, or choose:`),
      h("div", { class: "row" }, best.map((claim) => button(`${this.boxName(claim)}: ${claim.slice(3).replaceAll(",", " ")}`, () => this.page.play(`${drop}+${claim}`), { "data-claim": claim }))),
      h("div", { class: "row" },
        button("Claim the marked cells", () => this.claim(), { disabled: this.marked.size === 0, id: "claim" }),
        button("No claim", () => this.page.play(drop), { id: "no-claim", class: "primary" }),
        button("Back", () => this.escape())),
    ];
  }

  hint(move) {
    const [drop, claim] = move.split("+");
    const [head, digits] = drop.startsWith("x:") ? [drop, ""] : drop.split(":");
    const place = this.view.places.find((one) => one.head === head);
    if (!place || !this.mine) return;
    const plain = this.digits.filter(({ die }) => die !== "*").map(({ die }) => die);
    if (digits) {
      this.digits = [...digits].map((value) => {
        const known = plain.indexOf(value);
        if (known >= 0) plain.splice(known, 1);
        return { die: known >= 0 ? value : "*", value };
      });
    }
    this.choosePlace(place, false);
    this.draw();
    if (claim) this.page.note(`${document.querySelector("#note").textContent}. Then claim ${claim}`);
  }

  // --- typed dice, any position ----------------------------------------------------------------------------------

  typed(view, play) {
    if (view.phase === "tile") {
      let tile = "I4";
      return h("div", { class: "row" }, select("Tile drawn", Object.keys(this.page.catalogue[this.page.game].pieces).map((name) => [name, name]), tile, (value) => {
        tile = value;
      }), button("This was drawn", () => play(`tile:${tile}`), { class: "primary", id: "typed" }));
    }
    const faces = ["1", "2", "3", "4"];
    let piece = "I";
    const numbers = [..."1234567*"].map((face) => [face, face === "*" ? "★" : face]);
    return h("div", {},
      h("div", { class: "row" }, faces.map((face, i) => select(`Die ${i + 1}`, numbers, face, (value) => {
        faces[i] = value;
      })), select("Shape", [...SHAPES, "*"].map((name) => [name, name === "*" ? "★" : name]), piece, (value) => {
        piece = value;
      })),
      button("These were rolled", () => play(`roll:${faces.join("")}${piece}`), { class: "primary", id: "typed" }));
  }

  edit(view) {
    const fields = view.fen.split(" ");
    this.editing = { put: "1", rows: view.sheets.map((sheet) => [...sheet.rows]), fields };
    this.place = null;
    this.draw();
    this.offerEditing();
  }

  offerEditing() {
    this.hand.hidden = false;
    refill(
      this.hand,
      h("h3", {}, "Edit the sheet"),
      h("p", { class: "quiet" }, "Claims and letters of this sheet are cleared; what comes next is a roll. All else is in the position string."),
      select("A click writes", [..."0123456789X."].map((mark) => [mark, mark === "." ? "nothing" : mark]), this.editing.put, (value) => {
        this.editing.put = value;
      }),
      this.view.seats > 1 && select("Sheet", this.view.sheets.map((_, i) => [i, this.name(i)]), this.shown, (value) => {
        this.shown = Number(value);
        this.draw();
        this.offerEditing();
      }),
      button("Play from here", () => this.page.setUp(this.edited()), { class: "primary", id: "edited" }));
  }

  editAt(name) {
    const [x, rank] = at(name);
    const rows = this.editing.rows[this.shown];
    const row = rows[ROWS - rank];
    rows[ROWS - rank] = row.slice(0, x) + this.editing.put + row.slice(x + 1);
    this.view.sheets[this.shown] = { ...this.view.sheets[this.shown], rows, claims: [], circled: "" };
    this.draw();
    this.cells.get(name).focus();
  }

  edited() {
    const packed = (row) => row.replace(/\.+/g, (run) => COLUMNS[run.length - 1]);
    const sheets = this.view.sheets.map((sheet, i) => {
      const rows = this.editing.rows[i].map(packed).join("/");
      const old = this.editing.fields[6 + i];
      return rows === old.split(",")[0] ? old : `${rows},-,-,-`;
    });
    const [mode, tiles, crossed, active] = this.editing.fields;
    return [mode, tiles, crossed, active, "roll", "-", ...sheets].join(" ");
  }
}

/** How to play, for somebody new to the game: a few steps, in our own words, each with a picture. */
export const GUIDE = [
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
];
