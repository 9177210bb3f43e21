/** What can be chosen beside the board: pairs of value and text. */

export const STRENGTHS = [["you", "You"], ["20", "Engine, full strength"], ["15", "Engine, strong"], ["10", "Engine, medium"], ["5", "Engine, easy"], ["1", "Engine, beginner"]];
export const TIMES = [[20, "0.02 s"], [200, "0.2 s"], [1000, "1 s"], [3000, "3 s"], [10000, "10 s"], [30000, "30 s"]];
export const ROLLS = [["press", "I press Roll"], ["auto", "by themselves"], ["typed", "typed in from a table"]];

export const offers = (choices, value) => choices.some(([key]) => key === value);
