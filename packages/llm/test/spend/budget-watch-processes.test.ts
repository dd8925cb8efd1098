import { afterEach, expect, it } from '@jest/globals';
import { MemoryStore, type Reservation, type SluiceEvents, type Store, subscribe } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { settled } from '@sluice/test-kit/manual-store';
import fc from 'fast-check';
import { type BudgetReached, BudgetWatch } from '../../src/spend/budget-watch.js';
import { limited, settleWith } from '../limited.js';

const RUNS = Number(process.env.SLUICE_RUNS ?? 30);
const PROCESSES = 3;
const THRESHOLDS = [0.5, 0.8, 1];
const QUOTA = 10_000;
const HOUR_MS = 3_600_000;
/** Less than a mark is kept, and more than two windows have. */
const MOST_HOURS = 40;

type Decided = SluiceEvents['sluice:decision'];

let stop = (): void => {};
afterEach(() => stop());

/** One of several processes that share counters: it asks at once, and its marks travel as the scheduler says. */
function processOn(memory: MemoryStore, clock: ManualClock, scheduler: fc.Scheduler) {
  const reports: BudgetReached[] = [];
  const turn = () => scheduler.schedule(Promise.resolve());
  const { supports } = memory;
  const consume = memory.consume.bind(memory);
  const adjust = memory.adjust.bind(memory);
  const asked: Store<false> = { clock, supports, consume, adjust, async: false, reset: () => 0, close() {} };
  const marked: Store<true> = {
    ...{ clock, supports, consume, async: true, reset: async () => 0, async close() {} },
    async adjust(change) {
      await turn();
      const response = memory.adjust(change);
      await turn();
      return response;
    },
  };
  const watch = new BudgetWatch((event) => reports.push(event), { store: marked });
  const setup = limited({ plan: { perDay: QUOTA } }, clock, asked);
  /** It sees its answer later than the store has given it. */
  const look = (event: Decided) => turn().then(() => watch.look(event));
  return { ...setup, look, reports };
}

const user = fc.constantFrom('ann', 'bob');
const STEPS = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ call: fc.integer({ min: 10, max: 600 }), by: fc.nat(PROCESSES - 1), user }) },
    // A call may use more than it held.
    { weight: 4, arbitrary: fc.record({ settle: fc.nat(99), percent: fc.constantFrom(0, 10, 100, 150) }) },
    { weight: 4, arbitrary: fc.constant({ turns: 1 }) },
    { weight: 3, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 14 }) }) },
  ),
  { maxLength: 60, size: 'max' },
);

/** Which thresholds a decision shows as reached: the rule, written again. */
function shownBy({ decision }: Decided): number[] {
  const of = (name: string) => decision.verdicts.find((verdict) => verdict.name === name);
  const [budget, held] = [of('perDay'), of('held')];
  if (!budget || !held) return [];
  const isRefused = !budget.allowed && budget.cost <= QUOTA && budget.used - held.used + budget.cost > QUOTA;
  return THRESHOLDS.filter((part) => budget.used >= part * QUOTA || (part === 1 && isRefused));
}

it('Each threshold that a process sees passed is reported once for each window over all processes, in any order of their steps', async () => {
  const run = async (scheduler: fc.Scheduler, steps: typeof STEPS extends fc.Arbitrary<infer S> ? S : never) => {
    const clock = new ManualClock(0);
    const memory = new MemoryStore({ clock });
    const processes = Array.from({ length: PROCESSES }, () => processOn(memory, clock, scheduler));
    const [first] = processes as [(typeof processes)[number]];
    const expected = new Set<string>();
    const open: { readonly reservation: Reservation<boolean>; readonly tokens: number }[] = [];
    let asking = first;
    let hours = 0;
    stop = subscribe('sluice:decision', (event) => {
      const day = Math.floor(hours / 24);
      for (const part of shownBy(event)) expected.add(`${event.keys[0]} ${part} ${day}`);
      void asking.look(event);
    });
    for (const step of steps) {
      if ('call' in step) {
        asking = processes[step.by] ?? first;
        const reservation = await asking.reserve({ max_tokens: step.call }, step.user);
        if (reservation.allowed) open.push({ reservation, tokens: step.call });
      } else if ('settle' in step) {
        const [one] = open.splice(step.settle % Math.max(1, open.length), 1);
        if (!one) continue;
        const output = Math.floor((one.tokens * step.percent) / 100);
        await settleWith(first.llm, one.reservation, { output });
      } else if ('hours' in step && hours + step.hours <= MOST_HOURS) {
        hours += step.hours;
        clock.advance(step.hours * HOUR_MS);
      } else if (scheduler.count() > 0) await scheduler.waitOne();
    }
    for (await settled(); scheduler.count() > 0; await settled()) await scheduler.waitAll();
    stop();
    const reported = processes.flatMap(({ reports }) => reports.map(({ key, threshold }) => `${key} ${threshold}`));
    expect(reported.sort()).toEqual([...expected].map((one) => one.slice(0, one.lastIndexOf(' '))).sort());
    memory.close();
  };
  await fc.assert(fc.asyncProperty(fc.scheduler(), STEPS, run), { numRuns: RUNS });
}, 600_000);
