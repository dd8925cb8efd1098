import { createHash } from 'node:crypto';
import type { Change, Operator, Range } from './change.js';

/** A small change of one file of the code. */
export interface Mutant extends Range {
  /** Stays the same while the function around it only moves. */
  readonly id: string;
  /** Its path from the root of the checkout, with slashes. */
  readonly file: string;
  /** Both from 1, as editors count. */
  readonly line: number;
  readonly column: number;
  readonly operator: Operator;
  /** For readers: the code around the change, without and with it, shortened. */
  readonly before: string;
  readonly after: string;
  /** The function around it. Empty outside of functions. */
  readonly within: string;
  readonly replacement: string;
}

/** How much of the code is shown on each side of a change. */
const SHOWN_AROUND = 40;

/** The mutants that the possible changes of a file make. */
export function mutantsOf(file: string, text: string, changes: readonly Change[]): Mutant[] {
  const repeats = new Map<string, number>();
  return changes.map((change) => {
    const { operator, start, end, replacement, within } = change;
    const [before, after] = [text.slice(start, end), replacement].map((middle) => shownWith(text, change, middle));
    const key = JSON.stringify([file, within, operator, textAround(text, change), replacement]);
    const repeat = repeats.get(key) ?? 0;
    repeats.set(key, repeat + 1);
    const id = createHash('sha256').update(`${key} ${repeat}`).digest('hex').slice(0, 10);
    return {
      id,
      file,
      ...placeOf(text, start),
      operator,
      before: `${before}`,
      after: `${after}`,
      within,
      start,
      end,
      replacement,
    };
  });
}

/** The text of a file with a mutant in it. */
export function textWith({ start, end, replacement }: Mutant, text: string): string {
  return `${text.slice(0, start)}${replacement}${text.slice(end)}`;
}

/** Whether two mutants of a file change a common place. */
export const overlap = (a: Mutant, b: Mutant): boolean => a.start < b.end && b.start < a.end;

/** All that is shown of a change, and where in it the change stands. */
function textAround(text: string, { shown, start }: Change): string {
  return `${start - shown.start} ${text.slice(shown.start, shown.end)}`;
}

function shownWith(text: string, { shown, start, end }: Change, middle: string): string {
  const head = text.slice(shown.start, start);
  const tail = text.slice(end, shown.end);
  const shortHead = head.length > SHOWN_AROUND ? `…${head.slice(-SHOWN_AROUND)}` : head;
  const shortTail = tail.length > SHOWN_AROUND ? `${tail.slice(0, SHOWN_AROUND)}…` : tail;
  return `${shortHead}${middle}${shortTail}`.replace(/\s+/g, ' ').trim();
}

function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
