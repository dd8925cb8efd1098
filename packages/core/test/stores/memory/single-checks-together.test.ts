import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createLimiter, type Decision, type Limit, type Limiter, MemoryStore, subscribe } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { plainLimits, runs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { GeneralStore } from './general-store.js';

beforeEach(() => {
  // Sweeps by real time would forget keys that are valid again when the clock goes back.
  jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const { concurrency: _slots, ...plain } = plainLimits;
const { concurrency: _strictSlots, ...strict } = strictLimits;
const three = (limit: fc.Arbitrary<Limit>) => fc.tuple(limit, limit, limit);
const limitsOfOneKind = fc.oneof(...[...Object.values(plain), ...Object.values(strict)].map(three));

const who = fc.constantFrom('', 'ann', 'bob', '\ud800', 'x'.repeat(129));
const question = fc.record({ of: fc.nat(2), who, cost: fc.nat(9) });
const steps = fc.array(
  fc.record({
    verb: fc.constantFrom('consume', 'consume', 'reserve', 'charge', 'refund', 'reset', 'correct'),
    asked: question,
    /** What a listener asks when a key is forgotten meanwhile. */
    meanwhile: question,
    passesMs: fc.oneof(fc.constant(0), fc.nat(300), fc.constantFrom(-400, 86_400_000, -86_400_000)),
  }),
  { maxLength: 100, size: 'max' },
);

type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

/** One state for all three, although its limit has changed twice. */
function limitersOn(store: MemoryStore, limits: readonly Limit[]): readonly Limiter<string, false>[] {
  const options = { name: 'one', limit: limits[0] as Limit, store };
  return limits.map((limit) => createLimiter<string, false>(Object.assign(options, { limit })));
}

function player(store: MemoryStore, limits: readonly Limit[]): { play(step: Step): unknown; stays(): void } {
  const limiters = limitersOn(store, limits);
  const outcome: ReturnType<Limiter<string, false>['reserve']>[] = [];
  const given: [decision: Decision, text: string][] = [];
  const told = (decision: Decision): string => {
    const text = JSON.stringify(decision);
    given.push([decision, text]);
    return text;
  };
  const take = ({ verb, asked }: Step): unknown => {
    const limiter = limiters[asked.of] as Limiter<string, false>;
    if (verb === 'reset') return limiter.reset(asked.who);
    if (verb === 'correct') return outcome.shift()?.settle(asked.cost);
    if (verb === 'charge' || verb === 'refund') return limiter[verb](asked.who, { cost: asked.cost });
    if (verb === 'consume') return told(limiter.consume(asked.who, { cost: asked.cost }));
    outcome.push(limiter.reserve(asked.who));
    return told(outcome.at(-1) as Decision);
  };
  const play = (step: Step): unknown => {
    const { of, who, cost } = step.meanwhile;
    const heard: unknown[] = [];
    const stop = subscribe('sluice:evicted', ({ keys }) => {
      if (heard.push(keys) === 1) heard.push(limiters[of]?.consume(who, { cost }));
    });
    const answer = take(step);
    stop();
    return [answer, heard, store.size];
  };
  const stays = (): void => {
    for (const [decision, text] of given) expect(JSON.stringify(decision)).toBe(text);
  };
  return { play, stays };
}

it('Limiters of one state decide by the quick route as by the general one, and their decisions do not change later', () => {
  const stores = fc.record({ maxKeys: fc.constantFrom(1, 2, 100), whenFull: fc.constantFrom('evict', 'refuse') });
  fc.assert(
    fc.property(limitsOfOneKind, stores, steps, (limits, options, script) => {
      const clock = new ManualClock();
      const quick = new MemoryStore({ clock, ...options } as never);
      const general = new GeneralStore({ clock, ...options } as never);
      const [one, other] = [player(quick, limits), player(general, limits)];
      for (const step of script) {
        clock.set(clock.now() + step.passesMs);
        expect(one.play(step)).toEqual(other.play(step));
      }
      one.stays();
      quick.close();
      general.close();
    }),
    runs(2),
  );
});
