/** The page: one table (game, options, first position, moves), its players, and the boards that show it. */

import { ROLLS, STRENGTHS, TIMES } from "./choices.js";
import { $, button, h, refill, say, select } from "./dom.js";
import { closeDialog, newGame, showGuide, showPuzzles, showRules } from "./dialogs.js";
import { judge, nextRoll } from "./puzzles.js";
import { Store } from "./store.js";
import { Wire } from "./wire.js";

const PAR_MS = 20000;

class Page {
  /** `boards` are the modules of boards/, by game. */
  constructor(catalogue, boards) {
    this.catalogue = catalogue;
    this.boards = boards;
    this.wire = new Wire(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/talk`, (why) => this.trouble(why));
    this.store = new Store(Object.keys(catalogue), (text) => this.warn(text));
    this.settings = this.store.settings;
    this.serial = 0; // grows whenever the table changes; late answers about an older one are void
    this.loads = 0; // grows with every table that is asked for; only the newest one is shown
    this.inquiry = 0; // grows whenever the engine is interrupted; what it still says is void
    this.thinking = 0;
    this.analysing = false;
    this.paused = false;
    this.puzzle = null;
    this.rival = null;
    $("#games").append(
      Object.entries(catalogue).reduce((list, [name, game]) => {
        list.append(button(game.title, () => this.choose(name).catch((error) => this.trouble(error.message)), { "data-game": name }));
        return list;
      }, document.createDocumentFragment()),
    );
    $("#undo").onclick = () => this.undo();
    $("#hint").onclick = () => this.hint();
    $("#analyse").onclick = () => this.analyse();
    $("#pause").onclick = () => this.pause(!this.paused);
    $("#copy").onclick = () => this.copy();
    $("#picture").onclick = () => this.picture();
    // What is being typed there is not overwritten by a game that goes on.
    $("#fen").oninput = () => {
      this.typing = $("#fen").value.trim() !== "";
    };
    $("#set-up").onclick = () => this.setUp($("#fen").value);
    $("#edit").onclick = () => this.edit();
    $("#open-guide").onclick = () => showGuide(this);
    $("#open-rules").onclick = () => showRules(this);
    $("#open-puzzles").onclick = () => showPuzzles(this);
    $("#open-new").onclick = () => newGame(this);
  }

  get game() {
    return this.table.game;
  }

  get title() {
    return this.catalogue[this.game].title;
  }

  get seat() {
    return this.seats[this.view.player] ?? "you";
  }

  // --- the table -------------------------------------------------------------------------------------------------

  async choose(game) {
    const kept = this.store.tables[game];
    if (kept) {
      try {
        await this.load(kept.table, kept.seats, kept);
        return;
      } catch (error) {
        if (error.lost) throw error; // the server is gone, the game is not
        this.warn(`The game that the browser kept cannot be set up, a new one begins: ${error.message}`);
      }
    }
    await this.begin(game, {}, null, null, this.usual(game));
  }

  /** What a usual game has besides its players: where everybody builds alone, an engine that builds too. */
  usual(game) {
    return this.boards[game].usual?.() ?? {};
  }

  /** A new game from the start or from a position. */
  async begin(game, options, start = null, seats = null, extra = {}) {
    await this.load({ game, options, start, moves: [] }, seats, extra);
  }

  /**
   * Show another table. `seats` are players, null for the usual ones, or a function of the view that returns them.
   * Returns whether it is shown: it is not when another one was asked for before the answer.
   */
  async load(table, seats, extra = {}) {
    this.interrupt();
    this.loads += 1;
    const { loads, typing } = this;
    // Now, and not with the answer: what is typed while that is on its way belongs to the new table.
    this.typing = false;
    let answer;
    try {
      answer = await this.wire.ask({ do: "view", table });
    } catch (error) {
      if (loads !== this.loads) return false;
      this.typing ||= typing;
      if (this.view) this.advance(); // the old table goes on
      throw error;
    }
    if (loads !== this.loads) return false;
    this.interrupt();
    this.paused = false;
    this.puzzle = extra.puzzle ?? null;
    this.rival = extra.rival ?? null;
    this.table = { ...table, options: { ...table.options } };
    const count = answer.view.seats;
    const wanted = typeof seats === "function" ? seats(answer.view) : seats;
    this.seats = wanted?.length === count ? [...wanted] : Array.from({ length: count }, (_, seat) => (seat ? "20" : "you"));
    if (!this.board || this.boardGame !== table.game) {
      $("#board").replaceChildren();
      this.board = new this.boards[table.game].Board(this, $("#board"), $("#hand"));
      this.boardGame = table.game;
    }
    for (const tab of document.querySelectorAll("#games button")) {
      tab.setAttribute("aria-current", tab.dataset.game === table.game ? "page" : "false");
    }
    $("#edit").hidden = !this.board.edit;
    $("#edit").setAttribute("aria-pressed", "false");
    this.forget();
    this.take(answer, false);
    this.offerGuide();
    return true;
  }

  /** Show an answer `view` and go on with the game. */
  take(answer, moved) {
    this.serial += 1;
    this.table.moves = answer.moves;
    this.view = answer.view;
    this.log = answer.log;
    this.first = answer.start;
    this.trouble("");
    this.keep();
    this.render(moved);
    this.advance();
  }

  render(moved) {
    const { view, log } = this;
    const last = log.at(-1);
    const mine = view.kind === "decision" && this.seat === "you" && !this.paused;
    $("#turn").textContent = this.headline();
    $("#note").textContent = last ? capital(last.words) : "";
    if (moved && last) say(`${capital(last.words)}. ${this.headline()}`);
    const hand = $("#hand");
    const byHand = hand.contains(document.activeElement);
    const height = hand.offsetHeight;
    hand.replaceChildren();
    hand.style.minHeight = "";
    hand.hidden = true;
    this.board.show(view, { mine, last, animate: moved, log });
    if (view.kind === "chance") this.offerRoll();
    if (height && !view.result && (view.kind === "chance" ? this.rollsItself : !mine)) {
      // Others act: what is below is not to jump away from under a pointer, there and back.
      if (hand.hidden) hand.append(h("p", { class: "quiet" }, this.headline()));
      hand.style.minHeight = `${height}px`;
      hand.hidden = false;
    }
    // Whoever works with the buttons of the hand finds the next thing to do there, or on the board.
    if (byHand) ($(".primary", hand) ?? $("#board [tabindex='0']"))?.focus({ preventScroll: true });
    $("#undo").disabled = log.length === 0;
    $("#hint").disabled = view.kind !== "decision";
    $("#analyse").disabled = view.kind !== "decision";
    $("#pause").hidden = !this.seats.some((seat) => seat !== "you");
    $("#pause").textContent = this.paused ? "Go on" : "Pause";
    $("#pause").setAttribute("aria-pressed", String(this.paused));
    if (!this.typing) $("#fen").value = view.fen;
    this.renderMoves();
    this.renderSeats();
    this.renderTask();
  }

  headline() {
    const { view } = this;
    if (view.result) return `Game over: ${view.result}`;
    const name = this.board.name(view.player);
    if (view.kind === "chance") return this.board.chance(view);
    const doing = this.board.doing(view);
    const who = this.seat === "you" ? "" : " (engine)";
    return `${name}${who} ${doing}`;
  }

  renderMoves() {
    const list = $("#moves");
    list.replaceChildren(
      ...this.log.map((entry) => h("li", { class: entry.chance ? "chance" : `seat${entry.player}` }, h("code", {}, entry.move), h("span", {}, entry.words))),
    );
    list.scrollTop = list.scrollHeight;
  }

  renderSeats() {
    const { game, seats, settings, rival } = this;
    const drawn = JSON.stringify([game, seats, seats.map((_, number) => this.board.name(number)), settings, rival?.strength, this.table.start === null]);
    // A choice that somebody has opened would close if it were drawn anew with every move.
    if (drawn === this.seatsDrawn) return;
    this.seatsDrawn = drawn;
    const rows = this.seats.map((seat, number) =>
      select(this.board.name(number), STRENGTHS, seat, (value) => {
        this.seats[number] = value;
        this.resume();
      }),
    );
    rows.push(select("Engine thinks", TIMES, this.settings.time, (value) => {
      this.settings.time = Number(value);
      this.keep();
    }));
    rows.push(select(this.board.chances ?? "Dice roll", ROLLS, this.settings.rolls, (value) => {
      this.settings.rolls = value;
      this.resume();
    }));
    if (this.board.extras) rows.push(this.board.extras());
    refill($("#seats"), ...rows);
  }

  renderTask() {
    const box = $("#task");
    box.hidden = !this.puzzle;
    if (!this.puzzle) return;
    const verdict = judge(this.puzzle, this);
    refill(
      box,
      h("strong", {}, `Puzzle ${this.puzzle.name}: `),
      this.puzzle.task,
      verdict === null ? "" : h("p", { class: verdict.right ? "right" : "wrong" }, verdict.right ? "✓ " : "✗ ", verdict.text),
      h("div", { class: "row" },
        button("Start again", () => this.load({ ...this.table, moves: [] }, this.seats, { puzzle: this.puzzle })),
        button("Show the answer", () => this.note(`Answer: ${this.puzzle.line.join(" ")}`)),
        button("Leave the puzzle", () => {
          this.puzzle = null;
          this.keep();
          this.renderTask();
        })),
    );
    if (verdict && verdict.text !== this.verdict) say(verdict.text);
    this.verdict = verdict?.text;
  }

  keep() {
    this.store.keep(this.game, { table: this.table, seats: this.seats, puzzle: this.puzzle, rival: this.rival });
  }

  async openPuzzle(game, puzzle) {
    const table = { game, options: puzzle.options, start: puzzle.position, moves: [] };
    // The person takes the side that has to find the move.
    const seats = (view) => Array.from({ length: view.seats }, (_, seat) => (seat === view.player ? "you" : "20"));
    await this.load(table, seats, { puzzle });
  }

  // --- going on --------------------------------------------------------------------------------------------------

  /** Whether a roll that is due is made without a person. */
  get rollsItself() {
    if (this.puzzle && nextRoll(this.puzzle, this.log)) return true;
    const watched = this.seats.every((seat) => seat !== "you");
    const dull = this.view.phase === "tile" || this.seat !== "you" || watched;
    return this.settings.rolls === "auto" || (this.settings.rolls === "press" && dull);
  }

  /** Whatever comes next without a person: a roll, or the engine's move. */
  async advance() {
    this.board.catchUp?.();
    const { view, serial, inquiry } = this;
    if (this.paused || view.result) {
      if (view.result) this.board.finished?.(view);
      return;
    }
    if (view.kind === "chance") {
      const planned = this.puzzle && nextRoll(this.puzzle, this.log);
      if (planned) await this.play(planned);
      else if (this.rollsItself) await this.roll();
      return;
    }
    if (this.seat === "you" || this.analysing) return;
    const best = await this.think({ movetime: this.settings.time, skill: Number(this.seat) });
    if (best && serial === this.serial && inquiry === this.inquiry && !this.paused) await this.play(best.move);
  }

  /** The players or the settings have changed: see who goes on. */
  resume() {
    this.interrupt();
    this.serial += 1;
    this.keep();
    this.render(false);
    this.advance();
  }

  /** Stop the engine. A move that somebody has made is still played when its answer comes. */
  interrupt() {
    this.inquiry += 1;
    if (this.thinking) this.wire.stop();
    this.analysing = false;
    $("#analyse").setAttribute("aria-pressed", "false");
  }

  pause(paused) {
    this.paused = paused;
    this.resume();
  }

  async request(message) {
    try {
      return await this.wire.ask({ table: this.table, ...message });
    } catch (error) {
      this.trouble(error.message);
      return null;
    }
  }

  /** Try a move; an illegal one is explained. Returns whether it was played. */
  async play(move) {
    const { serial } = this;
    const answer = await this.request({ do: "play", move });
    if (!answer || serial !== this.serial) return false;
    if (answer.is === "illegal") {
      this.refuse(answer);
      return false;
    }
    this.interrupt();
    this.forget();
    this.take(answer, true);
    return true;
  }

  async roll() {
    const { serial } = this;
    const answer = await this.request({ do: "roll" });
    if (answer && serial === this.serial) this.take(answer, true);
  }

  /** Explain an illegal try, with the rule a click away. */
  refuse({ why, rule }) {
    const box = $("#trouble");
    box.replaceChildren(
      h("span", { "aria-hidden": "true" }, "⚠ "),
      `${capital(why)}. `,
      rule ? button("Read the rule", () => showRules(this, rule), { class: "link" }) : "",
      button("✕", () => this.trouble(""), { class: "link", "aria-label": "Close this message" }),
    );
    box.hidden = false;
  }

  trouble(text) {
    const box = $("#trouble");
    box.hidden = !text;
    if (text) this.refuse({ why: text });
    else box.replaceChildren();
  }

  /** Say what the browser could not keep or give back, once; it stays until somebody closes it. */
  warn(text) {
    const box = $("#unkept");
    if (text === this.warned) return;
    this.warned = text;
    box.hidden = !text;
    const close = button("✕", () => (box.hidden = true), { class: "link", "aria-label": "Close this message" });
    box.replaceChildren(...(text ? [`${text} `, close] : []));
  }

  note(text) {
    $("#note").textContent = text;
    say(text);
  }

  /** Back to the last decision of a person, or one move when there is none. */
  async undo() {
    this.interrupt();
    this.serial += 1; // a move on its way is taken back with the others
    const { serial } = this;
    let keep = this.log.length - 1;
    while (keep > 0 && (this.log[keep].chance || this.seats[this.log[keep].player] !== "you")) keep -= 1;
    if (this.log[keep].chance || this.seats[this.log[keep].player] !== "you") keep = this.log.length - 1;
    const table = { ...this.table, moves: this.table.moves.slice(0, keep) };
    const answer = await this.request({ do: "view", table });
    if (!answer || serial !== this.serial) return;
    this.forget();
    // Otherwise the engine would make the move again at once.
    this.paused = this.seats.every((seat) => seat !== "you");
    this.take(answer, false);
    say(`Taken back. ${this.headline()}`);
  }

  // --- the engine ------------------------------------------------------------------------------------------------

  /** Let the engine think about the table, or about another one. Returns its answer, or null when it is void. */
  async think(limits, table = this.table, heading = "") {
    const { inquiry } = this;
    this.thinking += 1;
    try {
      return await this.wire.ask({ do: "think", table, ...limits }, (info) => {
        if (inquiry === this.inquiry) this.showInfo(info, heading);
      });
    } catch (error) {
      this.trouble(error.message);
      return null;
    } finally {
      this.thinking -= 1;
    }
  }

  async hint() {
    this.interrupt();
    const { serial, inquiry } = this;
    $("#hint").disabled = true;
    const best = await this.think({ movetime: this.settings.time });
    $("#hint").disabled = this.view.kind !== "decision";
    if (serial !== this.serial || inquiry !== this.inquiry) return;
    if (best) {
      this.note(`Hint: ${best.words} (${best.move})`);
      this.board.hint(best.move);
    }
    this.advance(); // the engine's own thoughts were interrupted, if it is its turn
  }

  async analyse() {
    const start = !this.analysing;
    this.interrupt();
    if (!start) {
      this.advance();
      return;
    }
    this.analysing = true;
    $("#analyse").setAttribute("aria-pressed", "true");
    const { inquiry } = this;
    await this.think({ movetime: 600000 });
    if (inquiry !== this.inquiry) return;
    this.interrupt();
    this.advance();
  }

  /** What was possible with all chance known: the optimizer on a table of its own. */
  async par(start) {
    this.interrupt();
    const { serial, inquiry } = this;
    let last = null;
    const table = { game: this.game, options: {}, start, moves: [] };
    this.thinking += 1;
    try {
      await this.wire.ask({ do: "think", table, movetime: PAR_MS }, (info) => {
        if (inquiry !== this.inquiry) return;
        if (info.pv.length) last = info;
        this.showInfo(info, "par");
      });
    } catch (error) {
      this.trouble(error.message);
    } finally {
      this.thinking -= 1;
    }
    if (serial !== this.serial || inquiry !== this.inquiry) return null;
    this.advance();
    return last;
  }

  showInfo(info, heading) {
    this.lastInfo = info;
    const score = this.scoreText(info);
    const box = $("#thinking");
    const view = [
      heading && h("p", {}, h("strong", {}, heading)),
      h("dl", { class: "info" },
        h("dt", {}, "score"), h("dd", { id: "score" }, score),
        info.bound !== null && [h("dt", {}, "bound"), h("dd", {}, String(info.bound / 100))],
        h("dt", {}, "depth"), h("dd", { id: "depth" }, String(info.depth || "–")),
        h("dt", {}, "nodes"), h("dd", {}, info.nodes.toLocaleString("en")),
        h("dt", {}, "time"), h("dd", {}, `${(info.time / 1000).toFixed(1)} s`)),
      this.board.meter?.(info),
      info.pv.length > 0 && h("p", { class: "pv" }, h("span", {}, "line "), h("code", {}, info.pv.slice(0, 8).join(" "))),
    ];
    box.replaceChildren(...view.flat().filter(Boolean));
  }

  scoreText({ score }) {
    if (!score) return "–";
    if (score.mate !== null) return score.mate > 0 ? `wins in ${score.mate}` : `loses in ${-score.mate}`;
    return this.board.score?.(score) ?? `${(score.cp / 100).toFixed(1)} points`;
  }

  forget() {
    $("#thinking").replaceChildren(h("p", { class: "quiet" }, "Not thinking. Ask for a hint, or analyse."));
  }

  // --- rolls, positions ------------------------------------------------------------------------------------------

  offerRoll() {
    const hand = $("#hand");
    hand.hidden = false;
    if (this.settings.rolls !== "typed") {
      hand.append(h("h3", {}, this.board.chance(this.view)),
        button(this.board.rolling?.(this.view) ?? "Roll the dice", () => this.roll(), { class: "primary", id: "roll" }));
      return;
    }
    hand.append(h("h3", {}, this.board.chance(this.view)));
    hand.append(this.board.typed(this.view, (token) => this.play(token)));
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.view.fen);
      this.note("The position string is copied");
    } catch {
      $("#fen").value = this.view.fen;
      $("#fen").select();
      this.note("Press Ctrl+C to copy the position string");
    }
  }

  /** Save the position as an SVG file: the drawing of docs and command line. */
  async picture() {
    const answer = await this.request({ do: "picture" });
    if (!answer) return;
    const address = URL.createObjectURL(new Blob([answer.svg], { type: "image/svg+xml" }));
    h("a", { href: address, download: `${this.game}.svg` }).click();
    URL.revokeObjectURL(address);
    this.note("The picture is saved");
  }

  /** Set up a pasted position: a position string, or the protocol's `position ...` with moves. */
  async setUp(text) {
    const words = text.trim().split(/\s+/);
    let moves = [];
    let start = words.join(" ");
    if (words[0] === "position") {
      const cut = words.indexOf("moves");
      moves = cut < 0 ? [] : words.slice(cut + 1);
      const fields = words.slice(1, cut < 0 ? undefined : cut);
      start = fields[0] === "startpos" ? null : fields.slice(1).join(" ");
    }
    try {
      const shown = await this.load({ game: this.game, options: this.table.options, start, moves }, this.seats);
      if (shown) this.note("The position is set up");
    } catch (error) {
      this.trouble(error.message);
    }
  }

  edit() {
    const on = $("#edit").getAttribute("aria-pressed") !== "true";
    $("#edit").setAttribute("aria-pressed", String(on));
    this.interrupt();
    this.serial += 1; // an answer on its way would end the editing
    if (on) {
      this.paused = true;
      this.board.edit(this.view);
      return;
    }
    this.paused = false;
    this.resume();
  }

  offerGuide() {
    $("#welcome").hidden = true;
    if (!this.store.offers(this.game)) return;
    const box = $("#welcome");
    const close = () => {
      box.hidden = true;
    };
    box.hidden = false;
    box.replaceChildren(
      `New to ${this.title}? `,
      button("Learn it in two minutes", () => {
        close();
        showGuide(this);
      }, { class: "link", id: "learn" }),
      button("✕", close, { class: "link", "aria-label": "Close this message" }),
    );
  }
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

async function main() {
  const catalogue = await (await fetch("/games.json")).json();
  const games = Object.keys(catalogue);
  const modules = await Promise.all(games.map((game) => import(`./boards/${game}.js`)));
  const page = new Page(catalogue, Object.fromEntries(games.map((game, number) => [game, modules[number]])));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !$("#dialog").open) page.board?.escape?.();
  });
  $("#dialog").addEventListener("click", (event) => {
    if (event.target === event.currentTarget) closeDialog();
  });
  const wanted = location.hash.slice(1);
  await page.choose(games.includes(wanted) ? wanted : page.store.game ?? games[0]);
}

main().catch((error) => {
  $("#turn").textContent = "The page could not be started";
  $("#note").textContent = error.message;
}).finally(() => {
  document.body.inert = false;
});
