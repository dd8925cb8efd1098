import { describe, expect, it } from '@jest/globals';
import type { Limit } from '@sluice/core';
import { plainLimits, runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import type { Algorithm } from '../../src/algorithms/definition.js';
import { make, type Step, steps, unitsOf, waitMs } from './history.js';
import { inWorld, type World } from './world.js';

/** A limit in its plainest form: its only state is what was admitted, without closed forms and floats. */
interface Model {
  /** Units that fit at a time. */
  free(atMs: number): number;
  spend(units: number, atMs: number): void;
  /** The time until this many units fit, if the model knows it without trying. */
  untilMs?(units: number, atMs: number): number;
  delayMs?(atMs: number): number;
}

interface Admitted {
  readonly atMs: number;
  readonly units: number;
}

const sum = (admitted: readonly Admitted[]): number => admitted.reduce((total, { units }) => total + units, 0);

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** The bucket as an exact rational number: `n / m` units a millisecond, never above the capacity. */
function bucketModel(limit: Limit, startMs: number): Model {
  const { quota, refillUnits: n, refillPeriodMs: m } = limit;
  const [full, perMs, unit] = [BigInt(quota) * BigInt(m as number), BigInt(n as number), BigInt(m as number)];
  let [held, heldAtMs] = [full, startMs];
  const heldAt = (atMs: number): bigint => {
    const now = held + BigInt(atMs - heldAtMs) * perMs;
    return now < full ? now : full;
  };
  return {
    free: (atMs) => Number(heldAt(atMs) / unit),
    spend(units, atMs) {
      held = heldAt(atMs) - BigInt(units) * unit;
      heldAtMs = atMs;
    },
    untilMs(units, atMs) {
      const missing = BigInt(units) * unit - heldAt(atMs);
      return missing > 0n ? Number(ceilDiv(missing, perMs)) : 0;
    },
    ...(limit.algorithm === 'leaky-bucket' && {
      delayMs(atMs) {
        const waiting = full - BigInt(limit.immediate ?? 0) * unit - heldAt(atMs);
        return waiting > 0n ? Number(ceilDiv(waiting, perMs)) : 0;
      },
    }),
  };
}

/** A bucket that is refilled by interval, one interval after the other. */
function intervalModel({ quota, refillUnits: n, refillPeriodMs: m }: Limit, startMs: number): Model {
  let [level, fromMs] = [quota, startMs];
  const arrive = (atMs: number): void => {
    for (; level < quota && fromMs + (m as number) <= atMs; fromMs += m as number) {
      level = Math.min(quota, level + (n as number));
    }
    if (level === quota) fromMs = atMs;
  };
  return {
    free(atMs) {
      arrive(atMs);
      return level;
    },
    spend(units, atMs) {
      arrive(atMs);
      level -= units;
    },
    untilMs(units, atMs) {
      arrive(atMs);
      let [later, intervals] = [level, 0];
      for (; later < units; intervals += 1) later += n as number;
      return intervals === 0 ? 0 : fromMs + intervals * (m as number) - atMs;
    },
  };
}

/** A log of units and of the times until which they count. Room appears only at those times. */
function logModel(limit: Limit, untilOf: (atMs: number) => number): Model {
  const counted: { readonly units: number; readonly untilMs: number }[] = [];
  const free = (atMs: number): number =>
    limit.quota - counted.reduce((used, { units, untilMs }) => (atMs < untilMs ? used + units : used), 0);
  return {
    free,
    spend: (units, atMs) => counted.push({ units, untilMs: untilOf(atMs) }),
    untilMs(units, atMs) {
      const times = [atMs, ...counted.map(({ untilMs }) => untilMs)].filter((time) => time >= atMs);
      return Math.min(...times.filter((time) => free(time) >= units)) - atMs;
    },
  };
}

function slidingModel(limit: Limit): Model {
  const { quota, windowMs, buckets } = limit as Limit & { windowMs: number };
  const subWindowMs = buckets === undefined || quota <= buckets ? 1 : Math.ceil(windowMs / buckets);
  const lastOfGrain = (atMs: number): number => atMs - (atMs % subWindowMs) + subWindowMs - 1;
  return logModel(limit, (atMs) => lastOfGrain(atMs) + windowMs);
}

function fixedModel(limit: Limit): Model {
  const windowMs = limit.windowMs as number;
  let endMs = Number.NEGATIVE_INFINITY;
  return logModel(limit, (atMs) => {
    if (limit.align === 'clock') return atMs - (atMs % windowMs) + windowMs;
    if (atMs >= endMs) endMs = atMs + windowMs;
    return endMs;
  });
}

/** Two windows of the clock. The older one is weighted by the part that a sliding window still covers. */
function counterModel(limit: Limit): Model {
  const { quota, windowMs } = limit as Limit & { windowMs: number };
  const admitted: Admitted[] = [];
  const free = (atMs: number): number => {
    const startMs = atMs - (atMs % windowMs);
    const current = sum(admitted.filter((one) => one.atMs >= startMs));
    const previous = sum(admitted.filter((one) => one.atMs >= startMs - windowMs && one.atMs < startMs));
    return quota - current - Number((BigInt(previous) * BigInt(startMs + windowMs - atMs)) / BigInt(windowMs));
  };
  return {
    free,
    spend: (units, atMs) => admitted.push({ atMs, units }),
    untilMs(units, atMs) {
      let afterMs = 0;
      while (free(atMs + afterMs) < units) afterMs += 1;
      return afterMs;
    },
  };
}

function tryOn(limit: Limit, script: readonly Step[], modelOf: (limit: Limit, startMs: number) => Model): void {
  inWorld((world) => {
    const model = modelOf(limit, world.clock.now());
    for (const step of script) compare(step, limit, world, model);
  });
}

function compare(step: Step, limit: Limit, world: World, model: Model): void {
  const units = unitsOf(step, limit);
  world.clock.advance(waitMs(step, limit, world, units));
  const nowMs = world.clock.now();
  const allowed = limit.quota > 0 && units <= model.free(nowMs);
  const delayMs = (allowed && model.delayMs?.(nowMs)) || 0;
  if (allowed && units > 0) model.spend(units, nowMs);
  const until = (wanted: number): number | 'never' =>
    wanted > limit.quota ? 'never' : (model.untilMs as (units: number, atMs: number) => number)(wanted, nowMs);
  expect(world.consume(limit, units)).toMatchObject({
    allowed,
    delayMs,
    remaining: model.free(nowMs),
    retryAfterMs: until(Math.max(1, units)),
    resetAfterMs: until(limit.quota),
  });
}

const isShort = ({ windowMs = 0 }: Limit): boolean => windowMs <= 300;

describe('a model in exact numbers agrees with', () => {
  it.each<[string, Algorithm, (limit: Limit) => boolean, (limit: Limit, startMs: number) => Model]>([
    [
      'the token bucket',
      'token-bucket',
      ({ refillUnits, byInterval }) => refillUnits !== 0 && !byInterval,
      bucketModel,
    ],
    ['the token bucket by interval', 'token-bucket', ({ byInterval }) => byInterval === true, intervalModel],
    ['the leaky bucket', 'leaky-bucket', () => true, bucketModel],
    ['the sliding window', 'sliding-window', () => true, slidingModel],
    ['the sliding window log', 'sliding-window-log', () => true, slidingModel],
    ['the sliding window counter', 'sliding-window-counter', isShort, counterModel],
    ['the fixed window', 'fixed-window', ({ calendar }) => calendar === undefined, fixedModel],
  ])('%s over any requests', (_name, algorithm, isMeant, modelOf) => {
    fc.assert(
      fc.property(plainLimits[algorithm].filter(isMeant), steps([]), (limit, script) => tryOn(limit, script, modelOf)),
      runs(3),
    );
  });

  it('the kernels after a charge was given back', () => {
    const limits = fc.oneof(
      plainLimits['sliding-window'],
      plainLimits['sliding-window-log'],
      plainLimits['sliding-window-counter'],
      plainLimits['fixed-window'],
      plainLimits['token-bucket'],
    );
    fc.assert(
      fc.property(limits, steps([], 15), fc.nat(5), (limit, script, units) =>
        inWorld((world) => {
          for (const step of script) make(step, limit, world);
          const before = world.peek(limit);
          const { atMs, allowed } = world.ask([world.check(limit, units)]);
          if (allowed && units > 0) expect(world.adjust(limit, -units, { atMs })).toBe('applied');
          expect(world.peek(limit)).toEqual(before);
        }),
      ),
      runs(),
    );
  });
});
