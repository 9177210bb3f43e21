/** Puzzles: what is asked, and whether what was played answers it. */

const chances = (page) => page.log.filter((entry) => entry.chance).length;
const own = (page) => page.log.filter((entry) => !entry.chance);

/** The question in words. */
export function question(puzzle, board) {
  const { kind, turns, rolls, problem } = puzzle.question;
  const points = puzzle.answer?.points;
  if (kind === "win") return `${board.name(puzzle.player ?? 0)} is to move. Force a win in ${turns} ${turns === 1 ? "turn" : "own turns"}.`;
  if (kind === "plan") return `All ${rolls.length} rolls are known: ${rolls.map((roll) => roll.slice(5)).join(", ")}. How many points can you reach? The most is ${points}.`;
  if (kind === "stack") return `Build the best stack of ${problem}. ${puzzle.answer.proven ? "The most is" : "The best known is"} ${points} points.`;
  return puzzle.question.text ?? `Find the best move (${kind}).`;
}

/** The rolls that a puzzle prescribes. */
question.rolls = (puzzle) => puzzle.question.rolls ?? [];

/** Say whether the moves so far are right; null while nothing can be said. */
export function judge(puzzle, page) {
  const { answer } = puzzle;
  const first = own(page)[0];
  if (answer?.moves && first) {
    if (!answer.moves.includes(first.move)) return { right: false, text: "Another move is better. Undo, and try again." };
    if (page.view.result) return { right: true, text: `Solved: ${page.view.result}.` };
    return { right: true, text: "Right, that is the move. Play it out." };
  }
  if (answer?.points !== undefined && first) {
    const rolls = question.rolls(puzzle);
    const over = page.view.result || (rolls.length > 0 && chances(page) >= rolls.length && page.view.kind === "chance");
    if (!over) return null;
    const [points] = page.view.returns;
    if (points >= answer.points) return { right: true, text: `Solved: ${points} points.` };
    return { right: false, text: `${points} points; ${answer.points} are possible.` };
  }
  return null;
}

/** A name for the list, and how hard it is. */
export function title(puzzle) {
  const { kind, turns, rolls, problem } = puzzle.question;
  const what = { win: `win in ${turns}`, plan: `${rolls?.length} known rolls`, stack: problem }[kind] ?? kind;
  return `${what}`;
}
