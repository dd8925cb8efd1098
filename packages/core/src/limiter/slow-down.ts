import type { Verdict } from '../values/decision.js';
import type { Policy } from './policy/parse.js';
import type { SlowDown } from './policy/slow-down.js';

/** Writes the delays of limits that slow down into verdicts. There is one verdict for each limit, in their order. */
export type DelayWriter = (verdicts: readonly Verdict[], isPeek: boolean) => readonly Verdict[];

/** Returns the writer of a policy's delays; undefined if none of its limits slows down. */
export function delayWriter({ items }: Pick<Policy<never>, 'items'>): DelayWriter | undefined {
  if (items.every(({ slowDown }) => slowDown === undefined)) return undefined;
  return (verdicts, isPeek) =>
    verdicts.map((verdict, i) => {
      const slowDown = items[i]?.slowDown;
      // What is guaranteed to a tenant does not wait for what others use.
      const isDelayed = slowDown && verdict.allowed && !verdict.guaranteed;
      const delayMs = isDelayed ? delayOf(verdict, slowDown, isPeek) : 0;
      return delayMs > verdict.delayMs ? { ...verdict, delayMs } : verdict;
    });
}

/** A peek has spent nothing, so its own cost is added to what is used. */
function delayOf({ used, cost }: Verdict, { after, byMs, upToMs }: SlowDown, isPeek: boolean): number {
  const beyond = used + (isPeek ? cost : 0) - after;
  // Multiplied only if the product is at most upToMs, so that it is exact.
  return beyond <= 0 ? 0 : beyond > upToMs / byMs ? upToMs : beyond * byMs;
}
