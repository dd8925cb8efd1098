import { type ChangeResult, type Check, type Reply, SluiceError, type Verdict } from '@sluice/core';

const FIELDS = 5;

const [REFUSED, ALLOWED, OUTSIDE_EDGES, TOO_LATE] = [0, 1, 2, 3];

/** Reads what `lua/consume.lua` answers. */
export function replyOf(answer: unknown, checks: readonly Check[]): Reply {
  const numbers = answer as readonly number[];
  const [atMs, outcome, taken] = numbers as [number, number, number];
  if (outcome === TOO_LATE) {
    throw new SluiceError('SLUICE_STORE', 'the answer came after its deadline; nothing was charged');
  }
  if (outcome === OUTSIDE_EDGES) return { atMs, allowed: false, verdicts: [], outsideEdges: true };
  if (outcome !== ALLOWED && outcome !== REFUSED)
    throw new SluiceError('SLUICE_STORE', 'Redis gave an answer that none of the scripts gives');
  const verdicts = checks.map((check, i) => verdictOf(check, numbers, 3 + i * FIELDS));
  return { atMs, allowed: outcome === ALLOWED, verdicts, ...(taken >= 0 && { taken }) };
}

function verdictOf({ name, limit, cost, shadow }: Check, numbers: readonly number[], from: number): Verdict {
  return {
    name,
    limit,
    cost,
    allowed: numbers[from] === 1,
    remaining: numbers[from + 1] as number,
    resetAfterMs: waitOf(numbers[from + 2]),
    retryAfterMs: waitOf(numbers[from + 3]),
    delayMs: numbers[from + 4] as number,
    ...(shadow && { shadow }),
  };
}

function waitOf(ms: number | undefined): number | 'never' {
  return ms === -1 ? 'never' : (ms as number);
}

const RESULTS: readonly ChangeResult[] = ['applied', 'repeated', 'expired', 'outside-edges'];

/** Reads what `lua/adjust.lua` answers. */
export function changeResultOf(answer: unknown): ChangeResult {
  const result = RESULTS[(answer as number) - 1];
  if (!result) throw new SluiceError('SLUICE_STORE', 'Redis gave an answer that none of the scripts gives');
  return result;
}
