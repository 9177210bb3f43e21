/** Puzzles: their groups in the list, and whether what was played answers them. */

const HEADS = {
  win: "Win", defend: "Defend", free: "Get free", drop: "The best drop", claim: "The best claim", plan: "All chance is known", stack: "The best stack",
};

/** The part of a first move that a puzzle asks for. */
const asked = {
  drop: (move) => move.split("+")[0],
  claim: (move) => (move.split("+")[1] ?? "none").split(":")[0],
};

/** The heading under which a puzzle is listed. */
export const group = (puzzle) => {
  const turns = puzzle.name.match(/^(?:win|defend)(\d)-/)?.[1];
  if (puzzle.kind === "win" && turns) return `Win in ${turns} ${turns === "1" ? "turn" : "turns"}`;
  if (puzzle.kind === "defend" && turns) return `Defend against a win in ${turns}`;
  return HEADS[puzzle.kind];
};

/** The roll or card that the puzzle prescribes next. */
export const nextRoll = (puzzle, log) => puzzle.rolls[log.filter((entry) => entry.chance).length];

/** Say whether the moves so far are right; null while nothing can be said. */
export function judge(puzzle, { log, view }) {
  const first = log.find((entry) => !entry.chance);
  if (!first) return null;
  if (puzzle.kind === "plan" || puzzle.kind === "stack") {
    const played = puzzle.rolls.length > 0 && view.kind === "chance" && !nextRoll(puzzle, log);
    if (!view.result && !played) return null;
    const [points] = view.returns;
    const right = points >= puzzle.points;
    return { right, text: right ? `Solved: ${points} points.` : `${points} points; ${puzzle.points} are possible.` };
  }
  if (puzzle.drop && first.move.split("+")[0] !== puzzle.drop) return { right: false, text: `The drop is given: ${puzzle.drop}. Undo, and play that.` };
  const part = asked[puzzle.kind] ?? ((move) => move);
  if (part(first.move) !== part(puzzle.line[0])) return { right: false, text: "Something else is better. Undo, and try again." };
  return { right: true, text: view.result ? `Solved: ${view.result}.` : "Right, that is it. Play it out if you like." };
}
