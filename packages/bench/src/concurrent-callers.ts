import { type Answer, blankAnswer } from './answer.js';
import { percentilesOf } from './percentiles.js';
import { processorMs } from './processor-time.js';

/** What a round of callers gave. */
export interface Load {
  readonly decisions: number;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Of this process, for each decision. */
  readonly processorUs: number;
}

/** So many callers, each of whom asks again when it has its answer. */
export async function loadOf(
  ask: (answer: Answer) => unknown,
  { isAllowed, callers, ms }: { readonly isAllowed: boolean; readonly callers: number; readonly ms: number },
): Promise<Load> {
  const tookMs: number[] = [];
  const startProcessorMs = processorMs();
  const startMs = performance.now();
  const call = async (): Promise<void> => {
    const answer = blankAnswer();
    let nowMs = performance.now();
    do {
      await ask(answer);
      if (answer.allowed !== isAllowed)
        throw new Error(`It was to be ${isAllowed ? 'allowed' : 'refused'}, and was not`);
      const endMs = performance.now();
      tookMs.push(endMs - nowMs);
      nowMs = endMs;
    } while (nowMs - startMs < ms);
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - startMs) / 1_000;
  const usedMs = processorMs() - startProcessorMs;
  const { p50, p99 } = percentilesOf(tookMs);
  const decisions = tookMs.length;
  return {
    decisions,
    perSecond: decisions / seconds,
    p50Us: 1_000 * p50,
    p99Us: 1_000 * p99,
    processorUs: (1_000 * usedMs) / decisions,
  };
}
