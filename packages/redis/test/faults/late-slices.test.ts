import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { LateReplies } from './late-replies.js';
import { admittedOf, sleep } from './stage.js';

let replies: LateReplies;

beforeEach(async () => {
  replies = await LateReplies.set();
});

afterEach(() => replies.clear());

it('A leased store loses no granted unit, even if replies take twice the deadline', async () => {
  const limit = 10_000;
  const { store, limiter } = await replies.leased(limit);
  const { stage, leaseMs, lateMs } = replies;
  await replies.askFor(limiter);
  // Units that could not be given back are given back within a lease.
  await sleep(leaseMs + lateMs);
  await stage.untilBack(limiter);
  await store.close();
  const admitted = admittedOf(stage.answers);
  expect(admitted).toBeGreaterThan(limit / 100);
  expect({ lost: limit - admitted - (await replies.left(limit)) }).toEqual({ lost: 0 });
}, 180_000);
