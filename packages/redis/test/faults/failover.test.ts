import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import type { Connection } from '../clients/connection.js';
import { CONNECT_BY_SENTINEL } from '../clients/connections-by-sentinel.js';
import { Successor } from '../successor.js';
import { type Answered, CHOICES, Stage, sleep, sourcesOf, TIMEOUT_MS } from './stage.js';

/** Several servers have to start and find each other, and the machine may be busy. */
const PATIENCE_MS = 180_000;

let openBefore: string[];
let stage: Stage;
let successor: Successor;
let connection: Connection;

beforeEach(async () => {
  openBefore = open();
  stage = await Stage.set();
  successor = await Successor.of(stage.server);
}, PATIENCE_MS);

afterEach(async () => {
  await stage.clear();
  await connection.end();
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

/** Those of node-redis need longer than a second to find the new master. */
const QUICK = Object.entries(CONNECT_BY_SENTINEL).filter(([name]) => name.startsWith('ioredis'));

describe.each(QUICK)('When Sentinel promotes a replica, over %s,', (_, connect) => {
  it.each([
    ['died', () => stage.server.kill()],
    ['hangs', () => stage.freeze()],
  ])(
    'every request is decided in time, and soon by the new master: the old one %s',
    async (_, lose) => {
      connection = await connect(successor.sentinel);
      const store = stage.storeOver(connection.client, TIMEOUT_MS);
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
