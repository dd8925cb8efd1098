import { describe, expect, it } from '@jest/globals';
import type { Limit, LimitCheck, Verdict } from '@sluice/core';
import { anyPlainLimit, runs, spanMs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { ALL_VERBS, make, steps } from './history.js';
import { inWorld, type World } from './world.js';

interface Asked {
  readonly limit: Limit;
  readonly isShadow: boolean;
}

const asked = fc.array(fc.record({ limit: anyPlainLimit, isShadow: fc.boolean() }), { minLength: 1, maxLength: 4 });
const requests = fc.array(
  fc.record({
    waitShare: fc.oneof(fc.constant(0), fc.nat(1100)),
    costs: fc.array(fc.nat(4), { minLength: 4, maxLength: 4 }),
  }),
  { maxLength: 25, size: 'max' },
);

function checksOf(items: readonly Asked[], costs: readonly number[], world: World): LimitCheck[] {
  return items.map(({ limit, isShadow }, i) =>
    world.check(limit, limit.algorithm === 'concurrency' ? 1 : costs[i], {
      name: `limit ${i}`,
      ...(isShadow && { shadow: true }),
    }),
  );
}

/** The state of every limit, now and later. */
function limitState(items: readonly Asked[], world: World): Verdict[] {
  const startMs = world.clock.now();
  const spans = [0, ...items.flatMap(({ limit }) => [spanMs(limit) - 1, spanMs(limit) / 2, 2 * spanMs(limit)])];
  const verdicts = spans.flatMap((ms) => {
    world.clock.set(startMs + Math.floor(ms));
    return items.map(({ limit }, i) => world.peek(limit, 1, { name: `limit ${i}` }));
  });
  world.clock.set(startMs);
  return verdicts;
}

describe('several limits in one request', () => {
  it('are all spent or none, and shadow limits only if all enforced limits allow', () => {
    fc.assert(
      fc.property(asked, requests, (items, script) =>
        inWorld((together) =>
          inWorld((apart) => {
            for (const { waitShare, costs } of script) {
              const ms = Math.floor((spanMs(items[0]?.limit as Limit) * waitShare) / 1000);
              together.clock.advance(ms);
              apart.clock.advance(ms);
              const checks = checksOf(items, costs, apart);
              const each = checks.map((check) => apart.peek(check.limit, check.cost, { name: check.name }).allowed);
              const isAllowed = each.every((allowed, i) => allowed || items[i]?.isShadow);

              const id = apart.newId();
              const reply = together.ask(checksOf(items, costs, together), id);
              expect(reply.allowed).toBe(isAllowed);
              expect(reply.verdicts.map(({ allowed }) => allowed)).toEqual(each);
              for (const [i, check] of checks.entries()) if (isAllowed && each[i]) apart.ask([check], id);
            }
            expect(limitState(items, together)).toEqual(limitState(items, apart));
          }),
        ),
      ),
      runs(3),
    );
  });

  it('are not changed by a refused request', () => {
    fc.assert(
      fc.property(asked, requests, fc.nat(4), (items, script, cost) =>
        inWorld((world) => {
          for (const { costs } of script) world.ask(checksOf(items, costs, world));
          const enforced = (): Verdict[] =>
            limitState(items, world).filter((_, i) => !items[i % items.length]?.isShadow);
          const before = enforced();
          const { allowed } = world.ask(checksOf(items, [cost, cost, cost, cost], world));
          if (!allowed) expect(enforced()).toEqual(before);
        }),
      ),
      runs(),
    );
  });

  it('are independent under other policies, names and keys', () => {
    const identities = [
      { policy: 'a', name: 'b', key: 'c' },
      { policy: 'a', name: 'b', key: 'd' },
      { policy: 'a', name: 'd', key: 'c' },
      { policy: 'd', name: 'b', key: 'c' },
      { policy: 'a:b', name: 'c', key: 'c' },
      { policy: 'a', name: 'b:c', key: 'c' },
      { policy: '', name: 'a', key: 'b:c' },
      { policy: 'a', name: 'b', key: '__proto__' },
      { policy: 'a', name: 'constructor', key: '' },
    ];
    const command = fc.record({ index: fc.nat(identities.length - 1), cost: fc.nat(3), waitMs: fc.nat(40) });
    fc.assert(
      fc.property(anyPlainLimit, fc.array(command, { maxLength: 40, size: 'max' }), (limit, commands) => {
        const replies = (only?: number): unknown[] =>
          inWorld((world) =>
            commands.map(({ index, cost, waitMs }) => {
              world.clock.advance(waitMs);
              const isAsked = only === undefined || index === only;
              return isAsked ? world.ask([world.check(limit, cost, identities[index])]) : undefined;
            }),
          );
        const inCrowd = replies();
        for (const index of identities.keys()) {
          const alone = replies(index);
          expect(alone).toEqual(inCrowd.map((reply, i) => (commands[i]?.index === index ? reply : undefined)));
        }
      }),
      runs(0.3),
    );
  });
});

describe('a peek', () => {
  it('writes nothing: later decisions are the same as without it', () => {
    const anyLimit = fc.oneof(...Object.values(strictLimits));
    fc.assert(
      fc.property(anyLimit, steps(ALL_VERBS, 25), fc.infiniteStream(fc.nat(9)), (limit, script, costs) =>
        inWorld((looked) =>
          inWorld((world) => {
            for (const step of script) {
              make(step, limit, world);
              // The same steps with their peeks, and a peek at every key before each step and at another time.
              looked.peek(limit, costs.next().value);
              looked.peek(limit, costs.next().value, { key: 'somebody else' });
              make(step, limit, looked);
              expect(looked.clock.now()).toBe(world.clock.now());
              expect(looked.store.size).toBe(world.store.size);
              expect(looked.peek(limit)).toEqual(world.peek(limit));
            }
          }),
        ),
      ),
      runs(),
    );
  });

  it('at a wrong time also writes nothing', () => {
    const anyLimit = fc.oneof(...Object.values(strictLimits));
    fc.assert(
      fc.property(anyLimit, steps([], 12), fc.integer({ min: -9000, max: 9000 }), (limit, script, offMs) =>
        inWorld((world) => {
          for (const step of script) {
            make(step, limit, world);
            const before = world.peek(limit);
            const nowMs = world.clock.now();
            world.clock.set(nowMs + offMs);
            world.peek(limit, 2);
            world.clock.set(nowMs);
            expect(world.peek(limit)).toEqual(before);
          }
        }),
      ),
      runs(),
    );
  });
});
