import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { boundOf, slidingWindow } from '@sluice/core';
import { LateReplies } from './late-replies.js';
import { admittedOf } from './stage.js';

let replies: LateReplies;

beforeEach(async () => {
  replies = await LateReplies.set();
});

afterEach(() => replies.clear());

it('A leased store admits no more than the limit, even if replies take twice the deadline', async () => {
  const limit = 1500;
  const { store, limiter } = await replies.leased(limit);
  await replies.askFor(limiter);
  await replies.stage.askFor(limiter, 2 * replies.leaseMs);
  await store.close();
  expect(boundOf(slidingWindow({ limit, window: '1h' }), '1h')).toBe(limit);
  expect(admittedOf(replies.stage.answers)).toBe(limit);
}, 180_000);
