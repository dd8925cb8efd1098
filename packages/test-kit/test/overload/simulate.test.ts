import { describe, expect, it } from '@jest/globals';
import { oracle } from '@sluice/test-kit/overload/oracle';
import { fixedLimit } from '@sluice/test-kit/overload/peers/fixed-limit';
import { noGuard } from '@sluice/test-kit/overload/peers/no-guard';
import type { Scenario } from '@sluice/test-kit/overload/scenario';
import { simulate } from '@sluice/test-kit/overload/simulate';

const READ_MS = 0.05;

/** Two minutes of a load. */
function usual(perS: number, scenario: Omit<Scenario, 'phases'>): Scenario {
  return { ...scenario, phases: [{ name: 'all', forMs: 120_000, perS }] };
}

describe('the simulator agrees with queueing theory', () => {
  it.each([0.3, 0.6, 0.8])(
    'for one server: the formula of Pollaczek and Khinchine, at %d of the capacity',
    (utilization) => {
      const workMs = 2.5;
      const perMs = utilization / (workMs + READ_MS);
      const { all } = simulate(
        usual(1000 * perMs, { routes: [{ weight: 1, steps: [{ cpuMs: workMs }] }] }),
        noGuard,
        1,
      );
      const secondMoment = 2 * workMs ** 2 + 2 * workMs * READ_MS + READ_MS ** 2;
      const waitMs = (perMs * secondMoment) / (2 * (1 - utilization));
      expect(all?.meanMs).toBeGreaterThan(0.95 * (waitMs + workMs + READ_MS));
      expect(all?.meanMs).toBeLessThan(1.05 * (waitMs + workMs + READ_MS));
    },
  );

  it.each([0.5, 0.9])('for eight servers: the formula C of Erlang, at %d of the capacity', (utilization) => {
    const database = { servers: 8, serviceMs: 8, contention: 0 };
    const { all } = simulate(
      usual(1000 * utilization, {
        routes: [{ weight: 1, steps: [{ call: 'database' }] }],
        downstreams: { database },
      }),
      noGuard,
      1,
    );
    const load = 8 * utilization;
    let [term, sum] = [1, 0];
    for (let servers = 0; servers < 8; servers += 1) {
      sum += term;
      term *= load / (servers + 1);
    }
    const waiting = term / (1 - utilization) / (sum + term / (1 - utilization));
    const expectedMs = READ_MS + 8 + waiting / (1 - utilization);
    expect(all?.meanMs).toBeGreaterThan(0.95 * expectedMs);
    expect(all?.meanMs).toBeLessThan(1.05 * expectedMs);
  });

  it('for a full server without a queue: the formula B of Erlang', () => {
    const { all } = simulate(usual(500, { routes: [{ weight: 1, steps: [{ ioMs: 20 }] }] }), fixedLimit(10), 1);
    let blocked = 1;
    for (let servers = 1; servers <= 10; servers += 1) blocked = (10 * blocked) / (servers + 10 * blocked);
    expect(all?.shed).toBeGreaterThan(0.95 * blocked);
    expect(all?.shed).toBeLessThan(1.05 * blocked);
  });
});

const SMALL: Scenario = {
  routes: [
    { weight: 3, steps: [{ cpuMs: 1 }] },
    { weight: 1, steps: [{ ioMs: 50 }] },
  ],
  phases: [
    { name: 'busy', forMs: 10_000, perS: 500, settleMs: 1000 },
    { name: 'quiet', forMs: 10_000, perS: 50 },
    { name: 'busy', forMs: 10_000, perS: 500, settleMs: 1000 },
  ],
};

it('plays the same for the same seed, and something else for another one', () => {
  const means = [1, 1, 2].map((seed) => simulate(SMALL, noGuard, seed).busy?.meanMs);
  expect(means[1]).toBe(means[0]);
  expect(means[2]).not.toBe(means[0]);
});

it('lets the same clients come, whoever guards', () => {
  const [free, limited] = [noGuard, fixedLimit(1)].map((guard) => simulate(SMALL, guard, 1));
  for (const name of ['busy', 'quiet']) {
    for (const priority of ['critical', 'normal', 'low'] as const) {
      expect(limited?.[name]?.classes[priority].offered).toBe(free?.[name]?.classes[priority].offered);
    }
  }
  expect(limited?.busy?.shed).toBeGreaterThan(0.2);
});

it('counts the clients of the classes, after a phase has settled, and adds phases of one name', () => {
  const { busy } = simulate(SMALL, noGuard, 1);
  const { critical, normal, low } = busy?.classes ?? {};
  const offered = [critical, normal, low].map((count) => (count?.offered ?? 0) / 9000);
  for (const [index, share] of [0.2, 0.5, 0.3].entries()) expect(offered[index]).toBeCloseTo(share, 1);
  expect(busy?.goodPerS).toBeGreaterThan(480);
  expect(busy?.goodPerS).toBeLessThan(520);
});

it('lets refused clients come again, and counts them once', () => {
  const [once, again] = [0, 3].map((retries) => simulate({ ...SMALL, retries }, fixedLimit(5), 1));
  expect(once?.busy?.served).toBeLessThan(1);
  expect(again?.busy?.served).toBeGreaterThan(once?.busy?.served as number);
  expect(again?.busy?.classes.low.offered).toBe(once?.busy?.classes.low.offered);
});

it('makes the work longer in a phase', () => {
  const scenario: Scenario = {
    routes: [{ weight: 1, steps: [{ cpuMs: 1 }, { call: 'database' }] }],
    downstreams: { database: { servers: 100, serviceMs: 10, contention: 0 } },
    phases: [
      { name: 'usual', forMs: 60_000, perS: 10 },
      { name: 'cpu', forMs: 60_000, perS: 10, cpuSlowness: 11 },
      { name: 'database', forMs: 60_000, perS: 10, downstreamSlowness: 3 },
    ],
  };
  const { usual, cpu, database } = simulate(scenario, noGuard, 1);
  expect(usual?.meanMs).toBeCloseTo(11, -1);
  expect(cpu?.meanMs).toBeGreaterThan(20);
  expect(cpu?.meanMs).toBeLessThan(25);
  expect(database?.meanMs).toBeGreaterThan(28);
  expect(database?.meanMs).toBeLessThan(34);
});

it('stands still during a pause', () => {
  const pauses = { everyMs: 1000, forMs: 100 };
  const { busy, quiet } = simulate({ ...SMALL, pauses }, noGuard, 1);
  expect(quiet?.p99Ms).toBeGreaterThan(80);
  expect(busy?.served).toBe(1);
});

it('tells an oracle what has been admitted and has not ended, so that a queue never gets longer than it may', () => {
  const all = (bound: number) => ({ critical: bound, normal: bound, low: bound });
  const scenario: Scenario = {
    routes: [{ weight: 1, steps: [{ cpuMs: 1 }, { ioMs: 10 }, { cpuMs: 1 }] }],
    phases: [{ name: 'only', forMs: 20_000, perS: 1500 }],
  };
  const played = (waitMs: number, inFlight: number) =>
    simulate(scenario, oracle({ waitMs: all(waitMs), inFlight: all(inFlight) }), 1).only;
  // Half of the work of a request waits while it waits itself, so the queue of the processor is shorter than what is ahead.
  expect(played(60, 1000)?.p99Ms).toBeLessThan(130);
  // Refusals take 7 % of the processor.
  expect(played(60, 1000)?.goodPerS).toBeGreaterThan(0.9 * 0.93 * 500);
  expect(played(60, 1)?.meanMs).toBeLessThan(16);
});
