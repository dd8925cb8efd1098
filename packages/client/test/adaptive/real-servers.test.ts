import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { shedLoad } from '@sluice/express';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { until } from '@sluice/test-kit/until';
import type { ConcurrencyOption } from '../../src/index.js';
import { type Called, callAll } from './call-all.js';
import { WorkerServer, type WorkerServerOptions } from './worker-server.js';

/** The full form needs minutes: see `npm run proof -- client`. */
const IS_FULL = process.env.SLUICE_CLIENT === 'full';
const SECONDS = IS_FULL ? 20 : 1.5;
const TIMEOUT_MS = 600_000;

const cleanUps: (() => Promise<unknown>)[] = [];

async function cleanUp(): Promise<void> {
  for (const one of cleanUps.splice(0).reverse()) await one();
}

afterEach(cleanUp);

/** What these clients, which always have more to call than the server can do, get from it while it is measured. */
async function play(
  what: string,
  options: WorkerServerOptions,
  clients: readonly ConcurrencyOption[],
  callers: number,
): Promise<Measured> {
  const { server, called } = await start(options, clients, callers);
  await pause(SECONDS * 500);
  const measured = await measure(server, called, options, SECONDS);
  report(what, measured);
  await cleanUp();
  return measured;
}

/** A server, and clients that always have more to call than it can do. */
async function start(options: WorkerServerOptions, clients: readonly ConcurrencyOption[], callers = 60) {
  const server = await new WorkerServer(options).open();
  const over = new AbortController();
  cleanUps.push(() => server.close());
  const called = clients.map((concurrency) => callAll(server.origin, callers, over.signal, { concurrency }));
  cleanUps.push(() => {
    over.abort();
    return Promise.all(called.map(({ done }) => done));
  });
  return { server, called };
}

interface Measured {
  readonly inFlight: number;
  readonly goodput: number;
  readonly refused: number;
  readonly failed: number;
  readonly fairness: number;
}

/** What happens in the next seconds. */
async function measure(
  server: WorkerServer,
  called: readonly Called[],
  options: WorkerServerOptions,
  seconds: number,
): Promise<Measured> {
  const before = { served: server.served, refused: server.refused, answered: called.map(({ answered }) => answered) };
  const failedBefore = called.map(({ failed }) => failed);
  server.takeMeanInFlight();
  await pause(seconds * 1000);
  const [served, refused] = [server.served - before.served, server.refused - before.refused];
  const shares = called.map(({ answered }, i) => answered - (before.answered[i] as number));
  const sum = shares.reduce((all, one) => all + one, 0);
  return {
    inFlight: server.takeMeanInFlight(),
    goodput: (served * options.takesMs) / (seconds * 1000 * options.workers),
    refused: refused / (served + refused),
    failed: called.reduce((all, { failed }, i) => all + failed - (failedBefore[i] as number), 0) / (served + refused),
    /** Jain's index: 1 if all clients get the same, 1/n if one gets everything. */
    fairness: sum ** 2 / (shares.length * shares.reduce((all, one) => all + one * one, 0)),
  };
}

function report(what: string, measured: object): void {
  if (!IS_FULL) return;
  const parts = Object.entries(measured).map(([name, value]) => `${name} ${Number(value).toFixed(3)}`);
  process.stdout.write(`client: ${what}: ${parts.join(', ')}\n`);
}

const random = seededRandom(11);

const WORKERS_8 = { workers: 8, takesMs: 50, most: 16 };

describe('an adaptive concurrency', () => {
  it(
    'finds how many requests a server takes that refuses what is too much',
    async () => {
      // So few requests that the processor is never what they wait for.
      const options = { workers: 4, takesMs: 200, most: 8 };
      const { server, called } = await start(options, ['adaptive'], 20);
      const [client] = called as [Called];
      await until(() => (client.limit() ?? 0) >= 4, 10);
      const measured = await measure(server, called, options, SECONDS);
      report('4 workers of 200 ms, 8 requests at most, adaptive', measured);
      expect(client.limit()).toBeGreaterThanOrEqual(3);
      // It doubles until the first refusal comes back.
      expect(client.limit()).toBeLessThanOrEqual(17);
      expect(measured.inFlight).toBeLessThanOrEqual(8);
      expect(measured.refused).toBeLessThan(IS_FULL ? 0.05 : 0.4);
      expect(measured.failed).toBeLessThan(IS_FULL ? 0.01 : 0.4);
    },
    TIMEOUT_MS,
  );

  it(
    'comes back by itself after the server was away',
    async () => {
      const { server, called } = await start(WORKERS_8, ['adaptive']);
      const [client] = called as [Called];
      await until(() => (client.limit() ?? 0) >= 12, 10);
      await server.close();
      await until(() => client.limit() === 1, 10);
      await pause(SECONDS * 100);
      const { failed: failedAway, answered } = client;
      const sinceMs = performance.now();
      await server.open();
      await until(() => (client.limit() ?? 0) >= 8, 10);
      const backMs = performance.now() - sinceMs;
      const measured = await measure(server, called, WORKERS_8, SECONDS / 4);
      report('8 workers of 50 ms, back after being away', { backMs, failedAway, ...measured });
      expect(client.answered).toBeGreaterThan(answered);
      // Sixty callers that fail at once would have failed thousands of times.
      expect(failedAway).toBeLessThan(1000);
      if (IS_FULL) expect(backMs).toBeLessThan(3000);
    },
    TIMEOUT_MS,
  );

  it(
    'shares a server that sheds load with other clients, and few requests are refused',
    async () => {
      const shed = shedLoad({ name: 'shared', ...(!IS_FULL && { loop: false }) });
      const options = { workers: 20, takesMs: 100, random, before: shed };
      const { server, called } = await start(options, ['adaptive', 'adaptive', 'adaptive', 'adaptive'], 40);
      await pause(SECONDS * 500);
      const measured = await measure(server, called, options, IS_FULL ? 60 : 2);
      report('20 workers of 100 ms with shedLoad, four clients, adaptive', measured);
      expect(called.filter(({ answered }) => answered === 0)).toHaveLength(0);
      expect(measured.refused).toBeLessThan(0.3);
      if (IS_FULL) expect(measured.fairness).toBeGreaterThanOrEqual(0.7);
    },
    TIMEOUT_MS,
  );
});

(IS_FULL ? describe : describe.skip)('beside a fixed concurrency', () => {
  it(
    'an adaptive one gets as much as the best number, and is refused less than one that is too large',
    async () => {
      const best = await play('8 workers of 50 ms, 16 requests at most, fixed at 12', WORKERS_8, [12], 60);
      const adaptive = await play(
        '8 workers of 50 ms, 16 requests at most, again adaptive',
        WORKERS_8,
        ['adaptive'],
        60,
      );
      const large = await play('8 workers of 50 ms, 16 requests at most, fixed at 60', WORKERS_8, [60], 60);
      expect(adaptive.goodput).toBeGreaterThanOrEqual(0.85 * best.goodput);
      expect(adaptive.refused).toBeLessThan(large.refused / 10);
    },
    TIMEOUT_MS,
  );

  it(
    'one with a time-out keeps the queue of a server short that lets all wait',
    async () => {
      const options = { workers: 8, takesMs: 50 };
      const adaptive = [{ adaptive: { timeout: '100ms' } }] as const;
      const found = await play('8 workers of 50 ms that let all wait, timeout 100 ms', options, adaptive, 60);
      const large = await play('8 workers of 50 ms that let all wait, fixed at 60', options, [60], 60);
      expect(found.inFlight).toBeLessThan(large.inFlight / 3);
    },
    TIMEOUT_MS,
  );

  it(
    'four adaptive clients get more from a server that sheds load than four that send too much',
    async () => {
      const served = () => ({ workers: 20, takesMs: 100, random, before: shedLoad() });
      const what = '20 workers of 100 ms with shedLoad, four clients';
      const adaptive = await play(
        `${what}, again adaptive`,
        served(),
        Array.from({ length: 4 }, () => 'adaptive' as const),
        40,
      );
      const large = await play(`${what}, fixed at 40`, served(), [40, 40, 40, 40], 40);
      expect(adaptive.goodput).toBeGreaterThan(large.goodput);
      expect(adaptive.refused).toBeLessThan(large.refused);
    },
    TIMEOUT_MS,
  );
});
