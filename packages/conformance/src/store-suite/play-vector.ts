import { type Limit, type LimitCheck, SluiceError, type StoreResponse, type Verdict } from '@sluice/core';
import { isAlgorithm } from '@sluice/core/store';
import * as assert from '../assert.js';
import type { AdjustStep, Asked, AskStep, Vector, VerdictRow } from '../vectors.js';
import { Admissions } from './admissions.js';
import { calendarBoundsAround } from './calendar-bounds.js';
import type { Need } from './claims.js';
import { limitOf } from './limit-of-row.js';
import { figuresOf, type StoreFixture } from './store-fixture.js';

/** Midnight in UTC on Friday 15 January 2027. Every sub-window in the vectors begins at this time. */
const START_MS = Date.UTC(2027, 0, 15);

/** The name of the limit if a vector has only one. */
const ONLY = 'limit';

/**
 * Runs a vector step by step. A store with inexact decisions is checked against the worst case instead, unless the
 * vector changes limits, units or the clock. `between` runs before each request, and must not change the results.
 */
export async function playVector(fixture: StoreFixture, vector: Vector, between?: Between): Promise<void> {
  try {
    await play(fixture, vector, between);
  } catch (error) {
    // A limit may be too small for such a store.
    if (fixture.isExact || !(error instanceof SluiceError && error.code === 'SLUICE_OPTION')) throw error;
  }
}

/** Returns what a store needs to play a vector. */
export function needsOf(vector: Vector): readonly Need[] {
  const later = vector.steps.flatMap((step) => (step[1] === 'limit' ? [limitOf(step[2])] : []));
  const limits = [...Object.values(limitsOf(vector)), ...later];
  const needs = new Set<Need>(limits.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  if (limits.some(({ calendar }) => calendar)) needs.add('calendars');
  if (vector.steps.some(hasMargin)) needs.add('margins');
  return [...needs];
}

function hasMargin([, verb, asked]: Vector['steps'][number]): boolean {
  return verb !== 'limit' && typeof asked === 'object' && 'margin' in asked;
}

type Between = (fixture: StoreFixture, checks: readonly LimitCheck[]) => Promise<unknown>;

async function play(fixture: StoreFixture, vector: Vector, between?: Between): Promise<void> {
  const startMs = vector.startMs ?? START_MS;
  let limits = limitsOf(vector);
  const admissions = new Admissions();
  const checksOf = (asked: Asked): readonly LimitCheck[] => {
    const calendarBoundsMs = startMs + (asked.calendarBoundsAt ?? fixture.clock.now() - startMs);
    return Object.entries(limits).map(([name, limit]) =>
      checkOf(fixture, vector, name, limit, asked, calendarBoundsMs),
    );
  };
  for (const [i, step] of vector.steps.entries()) {
    const where = `step ${i + 1}: ${JSON.stringify(step)}`;
    fixture.clock.set(startMs + step[0]);
    if (step[1] === 'limit') limits = { [ONLY]: limitOf(step[2]) };
    else if (step[1] === 'reset') await fixture.reset(...checksOf({}));
    else {
      const asked = typeof step[2] === 'number' ? { cost: step[2] } : step[2];
      const checks = checksOf(asked);
      await between?.(fixture, checks);
      if (step[1] === 'adjust') await playAdjust(fixture, step, asked, checks, startMs, where);
      else if (await playAsk(fixture, step, asked, checks, where)) admissions.count(checks, fixture.clock.now());
    }
  }
  if (!fixture.isExact && onlyAsks(vector)) admissions.assertWithinBounds();
}

/** Whether a vector corrects nothing, resets nothing, and never sets its clock back. */
function onlyAsks({ steps }: Vector): boolean {
  return steps.every(([atMs, verb], i) => ['consume', 'peek'].includes(verb) && atMs >= (steps[i - 1]?.[0] ?? 0));
}

async function playAdjust(
  fixture: StoreFixture,
  [, , , expected]: AdjustStep,
  { at, id }: Asked,
  checks: readonly LimitCheck[],
  startMs: number,
  where: string,
): Promise<void> {
  const change = { ...(at !== undefined && { atMs: startMs + at }), ...(id !== undefined && { id }) };
  const result = await fixture.adjust(checks, change);
  if (fixture.isExact) assert.equal(result, expected, where);
}

/** Runs one request. Returns whether it was admitted. */
async function playAsk(
  fixture: StoreFixture,
  step: AskStep,
  { id }: Asked,
  checks: readonly LimitCheck[],
  where: string,
): Promise<boolean> {
  const ask = { ...(id !== undefined && { id }), ...(step[1] === 'peek' && { peek: true as const }) };
  const reply = await fixture.consume(checks, ask);
  if (fixture.isExact) {
    assert.equal(reply.atMs, fixture.clock.now(), where);
    assert.deepEqual(answerOf(reply), expectedAnswer(step, reply), where);
  }
  return reply.allowed && step[1] === 'consume';
}

/** The result of a step in the form of the vectors, with all fields. */
type Answered = readonly [answer: string, verdicts: Readonly<Record<string, VerdictRow>>];

function answerOf({ allowed, outsideCalendarBounds, verdicts }: StoreResponse): Answered {
  if (outsideCalendarBounds) return ['outside-calendar-bounds', {}];
  return [wordFor(allowed), Object.fromEntries(verdicts.map((v) => [v.name, [wordFor(v.allowed), ...figuresOf(v)]]))];
}

function expectedAnswer(step: AskStep, { verdicts }: StoreResponse): Answered {
  if (step[3] === 'outside-calendar-bounds') return [step[3], {}];
  const [, , , answer, first, ...rest] = step;
  const rows = typeof first === 'number' ? { [ONLY]: [answer, first, ...rest] as VerdictRow } : (first as Answered[1]);
  const complete = ([name, row]: [string, VerdictRow]) => {
    const verdict = verdicts.find((one) => one.name === name);
    return [name, verdict ? withDefaults(row, verdict) : row];
  };
  return [answer, Object.fromEntries(Object.entries(rows).map(complete))];
}

/** Returns the row with all fields. If nothing remains of a key, any number of units may be used. */
function withDefaults(row: VerdictRow, { limit, used: anyNumber }: Verdict): VerdictRow {
  const [answer, remaining, resetAfterMs, retryAfterMs, delayMs = 0] = row;
  const used = row[5] ?? (remaining === 0 ? anyNumber : limit.quota - remaining);
  return [answer, remaining, resetAfterMs, retryAfterMs, delayMs, used, row[6] ?? 0];
}

const wordFor = (allowed: boolean): 'allowed' | 'refused' => (allowed ? 'allowed' : 'refused');

function checkOf(
  fixture: StoreFixture,
  { shadow }: Vector,
  name: string,
  limit: Limit,
  { cost = 1, margin }: Asked,
  boundsAroundMs: number,
): LimitCheck {
  const own = typeof margin === 'object' ? margin[name] : margin;
  return fixture.check(limit, {
    name,
    ...(own !== undefined && { margin: own }),
    cost: typeof cost === 'number' ? cost : (cost[name] as number),
    ...(shadow?.includes(name) && { shadow: true }),
    ...(limit.calendar && { calendarBoundsMs: calendarBoundsAround(limit.calendar, boundsAroundMs) }),
  });
}

function limitsOf({ limit, limits }: Vector): Readonly<Record<string, Limit>> {
  const rows = limit ? { [ONLY]: limit } : (limits ?? {});
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, limitOf(row)]));
}
