import { describe, expect, it } from '@jest/globals';
import { generateTape } from '../../src/search/generate.js';
import { shrink } from '../../src/search/shrink.js';
import { wrongInTape } from '../../src/tape/check-tape.js';
import type { Tape } from '../../src/tape/tape.js';
import { CALM } from './tapes.js';

const BUDGET = { ms: 60_000 };

const calls = ({ steps }: Tape, call: string): number =>
  steps.filter((step) => 'call' in step && step.call === call).length;

/** Returns the first of the tapes of many seeds that fails. */
async function firstThat(fails: (tape: Tape) => boolean): Promise<Tape> {
  for (let seed = 1; seed < 5000; seed += 1) {
    const tape = generateTape(seed);
    if (fails(tape)) return tape;
  }
  throw new Error('no seed fails');
}

async function shrunk(fails: (tape: Tape) => boolean): Promise<Tape> {
  const small = await shrink(await firstThat(fails), async (tape) => fails(tape), BUDGET);
  expect(fails(small)).toBe(true);
  expect(wrongInTape(small)).toEqual([]);
  return small;
}

describe('shrink', () => {
  it('leaves one step where one step is enough, and the plainest set-up', async () => {
    const { steps, setup, chance } = await shrunk((tape) => calls(tape, 'charge') > 0 && tape.steps.length >= 1);
    expect(steps).toEqual([{ atMs: 0, call: 'charge', process: 0, policy: 0, subject: 0, cost: 1 }]);
    expect(chance).toBe(0);
    expect(setup.network).toEqual(CALM);
    expect(setup.processes).toEqual([{ clockAheadMs: 0 }]);
    expect(setup.lastsMs).toBe(0);
    expect(setup.policies).toHaveLength(1);
    expect(setup.policies[0]?.variants).toHaveLength(1);
    expect(setup.policies[0]?.variants[0]).toHaveLength(1);
  });

  it('keeps steps that need each other', async () => {
    const { steps } = await shrunk(({ steps }) => {
      const corrected = steps.flatMap((step) => ('call' in step && step.call === 'correct' ? [step.charge] : []));
      return new Set(corrected).size < corrected.length;
    });
    expect(steps.map((step) => 'call' in step && step.call)).toEqual(['reserve', 'share', 'correct', 'correct']);
    expect(steps.map((step) => step.atMs)).toEqual([0, 0, 0, 0]);
    expect(steps[1]).toEqual({ atMs: 0, call: 'share', of: 1, as: 2, expiresMs: 1 });
  });

  it('keeps the processes and the server that a failure needs', async () => {
    const { steps, setup } = await shrunk(({ steps, setup }) => {
      const store = setup.store.kind === 'leased' ? setup.store.of : undefined;
      const users = new Set(steps.flatMap((step) => ('call' in step && step.call === 'consume' ? [step.process] : [])));
      return users.size >= 2 && (store?.kind === 'redis' || store?.kind === 'sharded');
    });
    expect(setup.processes).toHaveLength(2);
    expect(setup.servers).toHaveLength(1);
    expect(setup.store).toMatchObject({ kind: 'leased', of: { kind: 'redis', server: 0 } });
    expect(steps).toHaveLength(2);
    expect(steps.map((step) => ('process' in step ? step.process : undefined)).sort()).toEqual([0, 1]);
  });

  it('finds the smallest numbers that fail', async () => {
    const { steps } = await shrunk(({ steps }) => {
      const first = steps.find((step) => 'call' in step && step.call === 'consume' && (step.times ?? 1) >= 7);
      const later = steps.find(
        (step) => 'call' in step && step.call === 'peek' && step.atMs >= (first?.atMs ?? 0) + 730,
      );
      return first !== undefined && later !== undefined;
    });
    expect(steps).toEqual([
      { atMs: 0, call: 'consume', process: 0, policy: expect.any(Number), subject: 0, cost: 1, times: 7 },
      { atMs: expect.any(Number), call: 'peek', process: 0, policy: expect.any(Number), subject: 0, cost: 1 },
    ]);
    expect(steps[1]?.atMs).toBeLessThanOrEqual(1000);
  });

  it('gives the same result for the same tape', async () => {
    const fails = (tape: Tape) => calls(tape, 'settle') > 1 && tape.setup.store.kind === 'sharded';
    expect(await shrunk(fails)).toEqual(await shrunk(fails));
  });

  it('takes an error of the predicate for a tape that does not matter', async () => {
    const tape = await firstThat((one) => calls(one, 'consume') > 3);
    const small = await shrink(
      tape,
      async (one) => {
        if (one.steps.length < 2) throw new Error('such a tape cannot be played');
        return true;
      },
      BUDGET,
    );
    expect(small.steps).toHaveLength(2);
  });

  it('stops when its time is over, with the best tape so far', async () => {
    const tape = generateTape(5);
    const small = await shrink(tape, () => new Promise((resolve) => setTimeout(resolve, 5, true)), { ms: 30 });
    expect(small.steps.length).toBeLessThan(tape.steps.length);
  });
});
