import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLimiter, type Limiter } from '@sluice/core';
import { Stage, sleep } from './stage.js';
import { TcpProxy } from './tcp-proxy.js';

const options = { limit: 100, window: '1h' } as const;

/** So that even a busy Redis has charged before the deadline. */
const LONG_MS = 500;

let stage: Stage;
let proxy: TcpProxy;
let limiter: Limiter<string, true>;

beforeEach(async () => {
  stage = await Stage.set();
  proxy = await TcpProxy.to(stage.server.port);
  limiter = createLimiter({ ...options, store: stage.store({ client: stage.client(proxy.port), timeout: LONG_MS }) });
  await stage.untilBack(limiter);
});

afterEach(async () => {
  await stage.clear();
  await proxy.stop();
});

it('If replies get lost, the policy decides, and charges of Redis stay, once', async () => {
  const before = await stage.remaining(options, 'ann');
  proxy.losesReplies = true;
  const answers = await Promise.all([1, 2, 3].map(() => stage.ask(limiter)));
  expect(answers).toMatchObject([{ source: 'local' }, { source: 'local' }, { source: 'local' }]);
  expect(await stage.remaining(options, 'ann')).toBe(before - 3);
  // The client sends again what was not answered, when it is connected again; it is too late by then.
  proxy.losesReplies = false;
  proxy.cut();
  await sleep(300);
  expect(await stage.remaining(options, 'ann')).toBe(before - 3);
  await stage.untilBack(limiter);
  stage.expectAllInTime(LONG_MS);
});
