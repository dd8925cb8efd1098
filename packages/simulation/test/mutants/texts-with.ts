import type { Change, Operator } from '../../src/mutants/change.js';

/** What a text becomes by each change of one operator, in the order of the text. */
export function textsWith(operator: Operator, text: string, changes: readonly Change[]): string[] {
  return changes
    .filter((change) => change.operator === operator)
    .map(({ start, end, replacement }) => `${text.slice(0, start)}${replacement}${text.slice(end)}`);
}
