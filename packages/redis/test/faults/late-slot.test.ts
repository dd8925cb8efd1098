import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { concurrency, createLimiter } from '@sluice/core';
import { LateReplies } from './late-replies.js';
import { sleep } from './stage.js';

let replies: LateReplies;

beforeEach(async () => {
  replies = await LateReplies.set();
});

afterEach(() => replies.clear());

it('A slot that was granted in a reply after twice the deadline is free for the next request', async () => {
  const { stage, proxy, timeoutMs, lateMs } = replies;
  const store = stage.store({ client: stage.client(proxy.port), timeout: timeoutMs });
  const limit = concurrency({ limit: 1, lease: '10m' });
  const limiter = createLimiter<string, true>({ name: 'slots', limit, store, onStoreError: 'deny' });
  await (await limiter.reserve('ann')).cancel();
  proxy.replyDelayMs = lateMs;
  expect((await limiter.reserve('ann')).source).toBe('deny');
  proxy.replyDelayMs = 0;
  // The slot is freed when its reply is read, by a command on the same connection.
  await sleep(2 * lateMs);
  const reservation = await limiter.reserve('ann');
  expect({ source: reservation.source, allowed: reservation.allowed }).toEqual({ source: 'store', allowed: true });
  await reservation.cancel();
});
