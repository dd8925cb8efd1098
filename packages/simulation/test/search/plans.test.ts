import { beforeAll, describe, expect, it } from '@jest/globals';
import * as core from '@sluice/core';
import * as distributed from '@sluice/core/distributed';
import * as store from '@sluice/core/store';
import * as llm from '@sluice/llm';
import * as redis from '@sluice/redis';
import { planLimiter } from '../../src/fleet/models/model-plan.js';
import { generateTape } from '../../src/search/generate.js';
import { shapeOf } from '../../src/search/shape.js';
import { shrink } from '../../src/search/shrink.js';
import { storyOf } from '../../src/search/story.js';
import type { Step, Tape } from '../../src/tape/tape.js';

const SEEDS = 1000;
const tapes: Tape[] = [];

beforeAll(() => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const tape = generateTape(seed);
    if (tape.setup.plans) tapes.push(tape);
  }
});

const countOf = ({ steps }: Tape, call: string): number =>
  steps.filter((step) => 'call' in step && step.call === call).length;

describe('The plans of tapes', () => {
  it('are drawn for about a tenth of them, with every way in which a call ends', () => {
    expect(tapes.length).toBeGreaterThan(SEEDS / 20);
    expect(tapes.length).toBeLessThan(SEEDS / 5);
    const calls = tapes.flatMap(({ steps }) => steps.flatMap((step) => ('dialect' in step ? [step] : [])));
    expect(new Set(calls.map(({ ends }) => ends)).size).toBe(8);
    expect(new Set(calls.map(({ dialect }) => dialect)).size).toBe(3);
    expect(calls.every(({ plan }) => plan < 2)).toBe(true);
    expect(tapes.filter((tape) => countOf(tape, 'model-look') > 0).length).toBeGreaterThan(tapes.length / 2);
  });

  it('can be made', () => {
    for (const { setup } of tapes) {
      for (const plan of setup.plans ?? []) {
        expect(() => planLimiter({ core, distributed, store, redis, llm }, plan, new core.MemoryStore())).not.toThrow();
      }
    }
  });

  it('have slots only over stores that count them', () => {
    for (const { setup } of tapes) {
      const isInFront = /leased|synced/.test(JSON.stringify(setup.store));
      const hasSlots = setup.plans?.some(
        ({ limits, together }) => 'parallel' in limits || 'parallel' in (together ?? {}),
      );
      if (isInFront) expect(hasSlots).toBe(false);
    }
  });

  it('shrink to one call and one limit', async () => {
    const fails = (tape: Tape): boolean => countOf(tape, 'model-call') > 0;
    const tape = tapes.find((one) => fails(one) && one.setup.plans?.[0]?.together) as Tape;
    const { setup, steps } = await shrink(tape, async (one) => fails(one), { ms: 30_000 });
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ call: 'model-call', plan: 0, inputTokens: 0, outputTokens: 0, takesMs: 0 });
    expect(setup.plans).toHaveLength(1);
    expect(Object.keys(setup.plans?.[0]?.limits ?? {})).toHaveLength(1);
    expect(setup.plans?.[0]).not.toHaveProperty('together');
  });

  it('shrink away where no call needs them', async () => {
    const isOther = (step: Step): boolean => 'call' in step && !('plan' in step);
    const tape = tapes.find(({ steps }) => steps.some(isOther)) as Tape;
    const { setup } = await shrink(tape, async ({ steps }) => steps.some(isOther), { ms: 30_000 });
    expect(setup).not.toHaveProperty('plans');
  });

  it('are told, and belong to the shape', () => {
    const [tape] = tapes as [Tape];
    expect(shapeOf(tape).features).toContain('plans');
    const steps = tape.steps.flatMap((step) => ('plan' in step ? [step] : [])).slice(0, 1);
    const [step] = steps;
    if (!step) throw new Error('the tape has a call');
    const began = {
      kind: 'call',
      call: 1,
      atMs: 0,
      process: 0,
      step,
      policy: 'm0',
      subject: 's0',
      variant: 0,
    } as const;
    const story = storyOf(tape, [began], undefined);
    expect(story).toContain('The plan m0 of model calls has for each subject');
    expect(story).toMatch(/sends \d+ tokens to the model for s0|looks at what the calls of models/);
  });
});
