import type { Outcome } from './simulate.js';

const WINDOW_MS = 10_000;

export const isHandled = ({ fate }: Outcome): boolean => fate !== 'refused';

/** Returns the most requests that were handled in any ten seconds. */
export function mostHandled(outcomes: readonly Outcome[]): number {
  const times = outcomes.filter(isHandled).map(({ endedMs }) => endedMs);
  const within = (startMs: number): number =>
    times.filter((timeMs) => timeMs >= startMs && timeMs < startMs + WINDOW_MS).length;
  return Math.max(0, ...times.map(within));
}

/** Returns the longest wait of a handled request. */
export function longestWaitMs(outcomes: readonly Outcome[]): number {
  return Math.max(0, ...outcomes.filter(isHandled).map(({ arrivedMs, endedMs }) => endedMs - arrivedMs));
}

/** Says in one line what became of these requests. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const ofAnn = outcomes.filter(({ client }) => client === 'ann');
  const isMixed = ofAnn.length > 0 && ofAnn.length < outcomes.length;
  const beyond = outcomes.filter(({ fate }) => fate === 'beyond').length;
  const longestMs = longestWaitMs(outcomes);
  const parts = [
    `${handledOf(outcomes)} of ${outcomes.length} handled${isMixed ? ` (${handledOf(ofAnn)} of Ann's ${ofAnn.length})` : ''}`,
    beyond > 0 && `${beyond} of them beyond the limit`,
    `at most ${mostHandled(outcomes)} in any 10 s`,
    longestMs > 0 && `longest wait ${(longestMs / 1000).toFixed(1)} s`,
  ];
  return parts.filter(Boolean).join(', ');
}

const handledOf = (outcomes: readonly Outcome[]): number => outcomes.filter(isHandled).length;
