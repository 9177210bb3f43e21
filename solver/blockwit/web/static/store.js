/**
 * What the browser keeps for the page: settings, the table of each game, the guides that were offered.
 *
 * A tab has its own (session storage), so that two tabs are two tables and a reload finds the tab's. A new tab begins
 * with a copy of what any tab kept last (local storage). Storage may be blocked or full, and may hold anything: the page
 * works without it, believes only what has the right shape, and says what it could not read or keep.
 */

import { ROLLS, STRENGTHS, TIMES, offers } from "./choices.js";

const KEY = "blockwit";
const CHOICES = new Map([["time", TIMES], ["rolls", ROLLS]]);

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const areTexts = (value) => Array.isArray(value) && value.every(isText);

const isTable = (table, game) =>
  isObject(table) && table.game === game && isObject(table.options) && (table.start === null || isText(table.start)) && areTexts(table.moves);
const isPuzzle = (puzzle) =>
  isObject(puzzle) && [puzzle.name, puzzle.kind, puzzle.task].every(isText) && areTexts(puzzle.rolls) && areTexts(puzzle.line) && puzzle.line.length > 0;
const isRival = (rival) => isObject(rival) && areTexts(rival.moves) && offers(STRENGTHS, rival.strength);
const isGame = ({ table, seats, puzzle, rival }, game) =>
  isTable(table, game) && areTexts(seats) && seats.every((seat) => offers(STRENGTHS, seat)) && (!puzzle || isPuzzle(puzzle)) && (!rival || isRival(rival));

/** The entries of an object that pass a test; `complain` is called if that is not all of it. */
function sound(value, test, complain) {
  if (value === undefined) return {};
  const entries = isObject(value) ? Object.entries(value) : [];
  const good = entries.filter(([key, entry]) => test(entry, key));
  if (!isObject(value) || good.length < entries.length) complain();
  return Object.fromEntries(good);
}

export class Store {
  /** `games` are the names of the games; `tell` shows a line to the person, or takes it away when it is empty. */
  constructor(games, tell) {
    this.games = games;
    this.tell = tell;
    const shared = this.read("localStorage");
    const own = this.read("sessionStorage") ?? shared;
    this.guides = shared?.guides ?? [];
    this.settings = { time: 1000, rolls: "press", ...own?.settings };
    this.tables = own?.tables ?? {};
    this.game = own?.game;
  }

  /** What is kept in a storage: all of it that has the right shape, or null where there is nothing. */
  read(storage) {
    let text;
    try {
      text = window[storage].getItem(KEY);
    } catch {
      return null; // said when something is to be kept
    }
    if (text === null) return null;
    const complain = () => this.tell("What the browser kept for this page is damaged: what could not be read begins anew.");
    let data = null;
    try {
      data = JSON.parse(text);
    } catch {
      // It is no object.
    }
    if (!isObject(data)) {
      complain();
      return null;
    }
    const guides = Array.isArray(data.guides) ? data.guides.filter((game) => this.games.includes(game)) : [];
    const settings = sound(data.settings, (value, name) => !CHOICES.has(name) || offers(CHOICES.get(name), value), complain);
    const tables = sound(data.tables, (kept, game) => this.games.includes(game) && isObject(kept) && isGame(kept, game), complain);
    if (data.game !== undefined && !this.games.includes(data.game)) complain();
    return { guides, settings, tables, game: this.games.includes(data.game) ? data.game : undefined };
  }

  /** Keep the table of a game, as the one that is shown. */
  keep(game, kept) {
    this.game = game;
    this.tables[game] = kept;
    this.save();
  }

  /** Whether the guide of a game is to be offered: once. */
  offers(game) {
    if (this.guides.includes(game)) return false;
    this.guides.push(game);
    this.save();
    return true;
  }

  save() {
    const { settings, tables, game } = this;
    const own = this.write("sessionStorage", { settings, tables, game });
    // Other tabs have kept theirs since.
    const shared = this.read("localStorage");
    this.guides = [...new Set([...this.guides, ...(shared?.guides ?? [])])];
    const latest = { ...shared?.tables, ...(game in tables && { [game]: tables[game] }) };
    const why = this.write("localStorage", { settings, tables: latest, game, guides: this.guides });
    if (own) this.tell(`${own}: the game and the settings are lost when this page is loaded again.`);
    else if (why) this.tell(`${why}: the game and the settings last only as long as this tab.`);
    else if (this.failing) this.tell("");
    this.failing = Boolean(own || why);
  }

  /** Write to a storage; returns why that failed, or nothing. */
  write(storage, data) {
    try {
      window[storage].setItem(KEY, JSON.stringify(data));
    } catch (error) {
      return error.name === "QuotaExceededError" ? "The browser's storage is full" : "The browser lets this page keep nothing";
    }
    return "";
  }
}
