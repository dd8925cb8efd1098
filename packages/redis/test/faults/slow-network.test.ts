import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter } from '@sluice/core';
import type { Redis } from 'ioredis';
import { DEFAULT_MS, Stage, sleep, slownessOf, sourcesOf } from './stage.js';
import { TcpProxy } from './tcp-proxy.js';

/** So that a busy machine does not make more than five milliseconds of it. */
const AMPLE_MS = 5000;

const options = { limit: 1000, window: '1h' } as const;

let stage: Stage;
let proxy: TcpProxy;
let client: Redis;
/** The default deadline of a check; longer on a slow machine. */
let deadlineMs: number;

beforeEach(async () => {
  stage = await Stage.set();
  proxy = await TcpProxy.to(stage.server.port);
  client = stage.client(proxy.port);
  deadlineMs = DEFAULT_MS * (await slownessOf(client));
});

afterEach(async () => {
  await stage.clear();
  await proxy.stop();
});

/** A limiter whose checks may take so long, when Redis has answered it. */
async function limiterWith(timeout: number): Promise<Limiter<string, true>> {
  const limiter = createLimiter({ ...options, store: stage.store({ client, timeout }) });
  await stage.untilBack(limiter);
  return limiter;
}

it('A network that takes 5 ms leaves the decisions to Redis', async () => {
  const limiter = await limiterWith(AMPLE_MS);
  proxy.replyDelayMs = 5;
  const answers = [];
  for (let i = 0; i < 30; i += 1) answers.push(await stage.ask(limiter));
  expect(sourcesOf(answers)).toEqual(new Set(['store']));
  expect(Math.min(...answers.map(({ tookMs }) => tookMs))).toBeGreaterThan(2);
});

/** In timeouts. A call is given up a quarter of its timeout too late at most, unless the process stands still. */
const TOO_SLOW = 1.5;

describe('A network that takes longer than the timeout, by default 50 ms,', () => {
  it.each(['requestDelayMs', 'replyDelayMs'] as const)(
    'leaves them to the policy until it is fast: %s',
    async (way) => {
      const limiter = await limiterWith(deadlineMs);
      proxy[way] = TOO_SLOW * deadlineMs;
      expect(sourcesOf(await stage.askFor(limiter, 6 * deadlineMs))).toEqual(new Set(['local']));
      proxy[way] = 0;
      await stage.untilBack(limiter);
      stage.expectAllInTime(deadlineMs);
    },
  );

  it('charges nothing for requests that arrive after their deadline', async () => {
    const limiter = await limiterWith(deadlineMs);
    const before = await stage.remaining(options, 'ann');
    proxy.requestDelayMs = TOO_SLOW * deadlineMs;
    await stage.askFor(limiter, 2 * deadlineMs);
    // The reply comes after the replies to everything that was sent before.
    await client.ping();
    expect(await stage.remaining(options, 'ann')).toBe(before);
  });
});

it('A network that takes ten times as long leaves them to the policy until it is fast again', async () => {
  const limiter = await limiterWith(deadlineMs);
  proxy.replyDelayMs = 10 * deadlineMs;
  expect(sourcesOf(await stage.askFor(limiter, 14 * deadlineMs))).toEqual(new Set(['local']));
  proxy.replyDelayMs = 0;
  // The last reply is on its way for this long.
  await sleep(10 * deadlineMs);
  await stage.untilBack(limiter);
  stage.expectAllInTime(deadlineMs);
});
