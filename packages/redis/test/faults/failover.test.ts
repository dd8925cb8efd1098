import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Successor } from '../successor.js';
import { type Answered, CHOICES, Stage, sleep, sourcesOf } from './stage.js';

/** Several servers have to start and find each other, and the machine may be busy. */
const PATIENCE_MS = 180_000;

let openBefore: string[];
let stage: Stage;
let successor: Successor;

beforeEach(async () => {
  openBefore = open();
  stage = await Stage.set();
  successor = await Successor.of(stage.server);
}, PATIENCE_MS);

afterEach(async () => {
  await stage.clear();
  await successor.stop();
  for (let tries = 0; opened().length > 0 && tries < 1000; tries += 1) await sleep(20);
  expect(opened()).toEqual([]);
}, PATIENCE_MS);

/** Connections and timers that keep the process alive. */
function open(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind));
}

/** The ones that were opened since the test began. */
function opened(): string[] {
  const before = [...openBefore];
  return open().filter((kind) => !before.includes(kind) || before.splice(before.indexOf(kind), 1).length === 0);
}

describe.each([
  ['6', Redis],
  // The two versions share what is used here, but not their types.
  ['5', Redis5 as unknown as typeof Redis],
])('When Sentinel promotes a replica, over ioredis %s,', (_, Client) => {
  it.each([
    ['died', () => stage.server.kill()],
    ['hangs', () => stage.freeze()],
  ])(
    'every request is decided in time, and soon by the new master: the old one %s',
    async (_, lose) => {
      const store = stage.store({ client: successor.client(Client) });
      const limiters = CHOICES.map((onStoreError) =>
        createLimiter({ name: onStoreError, limit: 100_000, window: '1h', onStoreError, store }),
      );
      await Promise.all(limiters.map((limiter) => stage.untilBack(limiter)));
      await lose();
      let isPromoted = false;
      const back = successor.promoted().then(() => {
        isPromoted = true;
        return Promise.all(limiters.map((limiter) => stage.untilBack(limiter)));
      });
      const answers = CHOICES.map((): Answered[] => []);
      while (!isPromoted) {
        const given = await Promise.all(limiters.map((limiter) => stage.askFor(limiter, 50, 5)));
        for (const [i, some] of given.entries()) answers[i]?.push(...some);
      }
      await back;
      const byPolicy = answers.map((given) => sourcesOf(given.filter(({ source }) => source !== 'store')));
      expect(byPolicy).toEqual(CHOICES.map((choice) => new Set([choice])));
      stage.expectAllInTime();
    },
    PATIENCE_MS,
  );
});
