import { expect } from '@jest/globals';
import type { AdapterOptions } from '@sluice/conformance';
import { concurrency, leakyBucket, MemoryStore, policyMetrics, slidingWindow, tokenBucket } from '@sluice/core';
import { createShedder, type Shedder } from '@sluice/core/load';
import { ManualClock } from '@sluice/core/testing';
import { HandDrivenLoop } from '../hand-driven-loop.js';
import { until } from '../until.js';
import type { RequestOf } from './shedding-app.js';
import { byClass, type SheddingFixture, type SheddingRules } from './shedding-fixture.js';

const MINUTE = slidingWindow({ name: 'minute', limit: 10, window: '1m' });

let last = 0;
/** A name of a policy that no other test has: counters belong to the process. */
function newName(): string {
  last += 1;
  return `behind ${last}`;
}

/** Requests that no policy counts. */
const FREE = /^\/(free|held)$/;

/** A policy that counts all requests together, but for those that are free. */
function together(options: AdapterOptions, clock = new ManualClock()) {
  return (requestOf: RequestOf): readonly AdapterOptions[] => [
    {
      keyGenerator: () => 'everyone',
      skip: (...args) => FREE.test(String(requestOf(args).url)),
      store: new MemoryStore({ clock }),
      ...options,
    },
  ];
}

/** A shedder with places for four, whose time the test moves. */
function timed(eventLoop: HandDrivenLoop): Shedder {
  return createShedder({ eventLoop, loop: false, inFlight: { algorithm: 'aimd', initial: 4, max: 4 } });
}

/** Requests that wait for their turn behind one policy. */
const WAITS: Readonly<Record<string, AdapterOptions>> = {
  maxWait: { limit: tokenBucket({ capacity: 1, refillRate: 0.2 }), maxWait: '1m' },
  slowDown: { limit: MINUTE, slowDown: { after: 1, by: '5s', upTo: '5s' } },
  'a leaky bucket': { limit: leakyBucket({ capacity: 10, leakRate: 0.2 }) },
};

async function allWait(fixture: SheddingFixture, options: AdapterOptions): Promise<void> {
  const [clock, eventLoop] = [new ManualClock(), new HandDrivenLoop()];
  const shedder = timed(eventLoop);
  await fixture.serve({ shedder }, undefined, { limits: together(options, clock) });
  expect(await fixture.statusOf('/first')).toBe(200);
  const waiting = Array.from({ length: 6 }, (_, i) => fixture.ask(`/${i}`));
  await until(() => shedder.state.inFlight === 6);
  // There are places for four, and nobody has taken one.
  expect(await fixture.statusOf('/free')).toBe(200);
  eventLoop.turn(60_000);
  for (let i = 0; i < 6; i += 1) await clock.advance(5000);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  await until(() => shedder.state.inFlight === 0);
  // Samples of several seconds would have halved it.
  expect(shedder.state.limit).toBe(4);
}

export const limitRules: SheddingRules = {
  'are not asked about a request that is shed: no key, no charge, no slot, no fields': async (fixture) => {
    let keys = 0;
    const name = newName();
    const keyGenerator = () => {
      keys += 1;
      return 'everyone';
    };
    const limits = [MINUTE, concurrency({ name: 'slots', limit: 10, lease: '1m' })];
    await fixture.serve(byClass, undefined, { limits: together({ name, limits, keyGenerator, skip: () => false }) });
    await fixture.hold(4);
    const keysOfHeld = keys;
    for (let i = 0; i < 3; i += 1) {
      const { status, headers } = await fixture.ask();
      expect([status, Object.keys(headers).filter((field) => field.includes('ratelimit'))]).toEqual([503, []]);
    }
    expect(keys).toBe(keysOfHeld);
    const counters = policyMetrics().find(({ policy }) => policy === name);
    expect(counters?.decisions).toMatchObject({ allowed: { store: 4 }, refused: { store: 0 } });
    expect(counters?.limits.map(({ slotsInUse }) => slotsInUse)).toEqual([0, 4]);
    fixture.release();
    await fixture.idle();
    expect((await fixture.ask()).headers.ratelimit).toContain('"minute";r=5');
  },

  'refuse without taking a place, however long the refusal takes': async (fixture) => {
    const answers: (() => void)[] = [];
    const onLimitReached = () => new Promise<void>((resolve) => answers.push(resolve));
    const limit = slidingWindow({ limit: 1, window: '1m' });
    await fixture.serve({}, undefined, { limits: together({ limit, onLimitReached }) });
    expect(await fixture.statusOf()).toBe(200);
    const refused = Array.from({ length: 6 }, () => fixture.statusOf());
    await until(() => answers.length === 6);
    expect(fixture.shedder.state.inFlight).toBe(6);
    expect(await fixture.statusOf('/free')).toBe(200);
    for (const answer of answers) answer();
    expect(await Promise.all(refused)).toEqual([429, 429, 429, 429, 429, 429]);
    await fixture.idle();
  },

  'that refuse give no sample': async (fixture) => {
    const eventLoop = new HandDrivenLoop();
    const shedder = timed(eventLoop);
    const onLimitReached = () => eventLoop.turn(60_000);
    const limit = slidingWindow({ limit: 1, window: '1m' });
    await fixture.serve({ shedder }, undefined, { limits: together({ limit, onLimitReached }) });
    for (let i = 0; i < 5; i += 1) await fixture.statusOf();
    await until(() => shedder.state.inFlight === 0);
    expect(shedder.state.limit).toBe(4);
  },

  ...Object.fromEntries(
    Object.entries(WAITS).map(([name, options]) => [
      `let requests wait by ${name} without a place, and their time is measured from their turn`,
      (fixture: SheddingFixture) => allWait(fixture, options),
    ]),
  ),

  'measure a request that waited from its turn: a slow handler is still a sample': async (fixture) => {
    const [clock, eventLoop] = [new ManualClock(), new HandDrivenLoop()];
    const shedder = timed(eventLoop);
    const handle = () => {
      eventLoop.turn(60_000);
      return { status: 200, body: 'late' };
    };
    await fixture.serve({ shedder }, handle, { limits: together(WAITS.maxWait as AdapterOptions, clock) });
    const first = fixture.statusOf();
    const second = fixture.statusOf();
    await clock.untilSleeping(1);
    await clock.advance(5000);
    expect([await first, await second]).toEqual([200, 200]);
    await until(() => shedder.state.inFlight === 0);
    expect(shedder.state.limit).toBeLessThan(4);
  },

  'free the place of a client that leaves while it waits': async (fixture) => {
    const clock = new ManualClock();
    await fixture.serve(byClass, undefined, { limits: together(WAITS.maxWait as AdapterOptions, clock) });
    expect(await fixture.statusOf()).toBe(200);
    const waiting = fixture.begin('/');
    await clock.untilSleeping(1);
    expect(fixture.shedder.state.inFlight).toBe(1);
    waiting.leave();
    await fixture.idle();
    await fixture.hold(4);
    expect(fixture.shedder.state.inFlight).toBe(4);
  },

  'are elastic while the shedder is calm, and hard as soon as something was shed': async (fixture) => {
    const eventLoop = new HandDrivenLoop();
    const shedder = timed(eventLoop);
    const limit = slidingWindow({ limit: 2, window: '1m' });
    const limits = (requestOf: RequestOf): readonly AdapterOptions[] => [
      {
        limit,
        elastic: { upTo: 4, while: shedder.calm },
        keyGenerator: (...args) => String(requestOf(args).headers['x-customer']),
        skip: (...args) => FREE.test(String(requestOf(args).url)),
        store: new MemoryStore({ clock: new ManualClock() }),
      },
    ];
    await fixture.serve((requestOf) => ({ ...byClass(requestOf), shedder }), undefined, { limits });
    const statusesOf = async (customer: string): Promise<number[]> => {
      const statuses: number[] = [];
      for (let i = 0; i < 5; i += 1) statuses.push(await fixture.statusOf('/', { 'x-customer': customer }));
      return statuses;
    };
    expect(await statusesOf('ann')).toEqual([200, 200, 200, 200, 429]);
    await fixture.hold(4);
    expect(await fixture.statusOf()).toBe(503);
    fixture.release();
    await until(() => shedder.state.inFlight === 0);
    expect(await statusesOf('bob')).toEqual([200, 200, 429, 429, 429]);
    eventLoop.turn(60_000);
    expect(await statusesOf('cid')).toEqual([200, 200, 200, 200, 429]);
  },
};
