import assert from 'node:assert/strict';
import { leakyBucket } from '../../algorithms/buckets/leaky.js';
import { tokenBucket } from '../../algorithms/buckets/token.js';
import { concurrency } from '../../algorithms/concurrency.js';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import { slidingWindowLog } from '../../algorithms/sliding/log.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { slidingWindowCounter } from '../../algorithms/sliding-window-counter.js';
import type { Check, Reply } from '../../stores/store.js';
import { edgesAround } from '../../values/calendar.js';
import type { Verdict } from '../../values/decision.js';
import { SluiceError } from '../../values/error.js';
import type { Limit } from '../../values/limit.js';
import type { AdjustStep, Asked, AskStep, LimitRow, Vector, VerdictRow } from '../vectors.js';
import { Admissions } from './admissions.js';
import { type Bench, figuresOf } from './bench.js';

/** Midnight in UTC on Friday 15 January 2027: every sub-window in the vectors begins then. */
const START_MS = Date.UTC(2027, 0, 15);

/** The name of the limit of a vector that has but one. */
const ONLY = 'limit';

const CONSTRUCTORS: Readonly<Record<string, (options: never) => Limit>> = {
  concurrency,
  fixedWindow,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
};

/**
 * Plays a vector step by step. A store that is not exact is held to the worst case in place of the answers, unless
 * limits, units or the clock are changed. `between` runs before each of its questions, and must not change the answers.
 */
export async function playVector(bench: Bench, vector: Vector, between?: Between): Promise<void> {
  try {
    await play(bench, vector, between);
  } catch (error) {
    // A limit may be too small for what such a store makes of it.
    if (bench.isExact || !(error instanceof SluiceError && error.code === 'SLUICE_OPTION')) throw error;
  }
}

type Between = (bench: Bench, checks: readonly Check[]) => Promise<unknown>;

async function play(bench: Bench, vector: Vector, between?: Between): Promise<void> {
  const startMs = vector.startMs ?? START_MS;
  let limits = limitsOf(vector);
  if (!Object.values(limits).every((limit) => bench.takes(limit))) return;
  const admissions = new Admissions();
  const checksOf = (asked: Asked): readonly Check[] => {
    const edgesMs = startMs + (asked.edgesAt ?? bench.clock.now() - startMs);
    return Object.entries(limits).map(([name, limit]) => checkOf(bench, vector, name, limit, asked, edgesMs));
  };
  for (const [i, step] of vector.steps.entries()) {
    const where = `step ${i + 1}: ${JSON.stringify(step)}`;
    bench.clock.set(startMs + step[0]);
    if (step[1] === 'limit') {
      limits = { [ONLY]: limitOf(step[2]) };
      if (!bench.takes(limitOf(step[2]))) return;
    } else if (step[1] === 'reset') await bench.reset(...checksOf({}));
    else {
      const asked = typeof step[2] === 'number' ? { cost: step[2] } : step[2];
      const checks = checksOf(asked);
      await between?.(bench, checks);
      if (step[1] === 'adjust') await playAdjust(bench, step, asked, checks, startMs, where);
      else if (await playAsk(bench, step, asked, checks, where)) admissions.count(checks, bench.clock.now());
    }
  }
  if (!bench.isExact && onlyAsks(vector)) admissions.assertWithinBounds();
}

/** Whether nothing is corrected or forgotten in a vector, and its clock never goes back. */
function onlyAsks({ steps }: Vector): boolean {
  return steps.every(([atMs, verb], i) => ['consume', 'peek'].includes(verb) && atMs >= (steps[i - 1]?.[0] ?? 0));
}

async function playAdjust(
  bench: Bench,
  [, , , expected]: AdjustStep,
  { at, id }: Asked,
  checks: readonly Check[],
  startMs: number,
  where: string,
): Promise<void> {
  const change = { ...(at !== undefined && { atMs: startMs + at }), ...(id !== undefined && { id }) };
  const result = await bench.adjust(checks, change);
  if (bench.isExact) assert.equal(result, expected, where);
}

/** Whether it was admitted. */
async function playAsk(
  bench: Bench,
  step: AskStep,
  { id }: Asked,
  checks: readonly Check[],
  where: string,
): Promise<boolean> {
  const ask = { ...(id !== undefined && { id }), ...(step[1] === 'peek' && { peek: true as const }) };
  const reply = await bench.consume(checks, ask);
  if (bench.isExact) {
    assert.equal(reply.atMs, bench.clock.now(), where);
    assert.deepEqual(answerOf(reply), expectedAnswer(step, reply), where);
  }
  return reply.allowed && step[1] === 'consume';
}

/** An answer as vectors write it, with nothing left out. */
type Answered = readonly [answer: string, verdicts: Readonly<Record<string, VerdictRow>>];

function answerOf({ allowed, outsideEdges, verdicts }: Reply): Answered {
  if (outsideEdges) return ['outside-edges', {}];
  return [wordFor(allowed), Object.fromEntries(verdicts.map((v) => [v.name, [wordFor(v.allowed), ...figuresOf(v)]]))];
}

function expectedAnswer(step: AskStep, { verdicts }: Reply): Answered {
  if (step[3] === 'outside-edges') return [step[3], {}];
  const [, , , answer, first, ...rest] = step;
  const rows = typeof first === 'number' ? { [ONLY]: [answer, first, ...rest] as VerdictRow } : (first as Answered[1]);
  const complete = ([name, row]: [string, VerdictRow]) => {
    const verdict = verdicts.find((one) => one.name === name);
    return [name, verdict ? withDefaults(row, verdict) : row];
  };
  return [answer, Object.fromEntries(Object.entries(rows).map(complete))];
}

/** A row with what is left out of it: of a key that has nothing left, any number of units may be used. */
function withDefaults(row: VerdictRow, { limit, used: anyNumber }: Verdict): VerdictRow {
  const [answer, remaining, resetAfterMs, retryAfterMs, delayMs = 0] = row;
  const used = row[5] ?? (remaining === 0 ? anyNumber : limit.quota - remaining);
  return [answer, remaining, resetAfterMs, retryAfterMs, delayMs, used];
}

const wordFor = (allowed: boolean): 'allowed' | 'refused' => (allowed ? 'allowed' : 'refused');

function checkOf(
  bench: Bench,
  { shadow }: Vector,
  name: string,
  limit: Limit,
  { cost = 1 }: Asked,
  edgesAroundMs: number,
): Check {
  return bench.check(limit, {
    name,
    cost: typeof cost === 'number' ? cost : (cost[name] as number),
    ...(shadow?.includes(name) && { shadow: true }),
    ...(limit.calendar && { edgesMs: edgesAround(limit.calendar, edgesAroundMs) }),
  });
}

function limitsOf({ limit, limits }: Vector): Readonly<Record<string, Limit>> {
  const rows = limit ? { [ONLY]: limit } : (limits ?? {});
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, limitOf(row)]));
}

function limitOf([name, options]: LimitRow): Limit {
  const make = CONSTRUCTORS[name];
  if (!make) throw new SluiceError('SLUICE_OPTION', `a vector names an unknown constructor: ${name}`);
  return make(options as never);
}
