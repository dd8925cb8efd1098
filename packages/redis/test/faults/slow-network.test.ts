import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLimiter, type Limiter } from '@sluice/core';
import { Stage, sleep, sourcesOf } from './stage.js';
import { TcpProxy } from './tcp-proxy.js';

/** So that five milliseconds are not more on a busy machine. */
const AMPLE_MS = 5000;

let stage: Stage;
let proxy: TcpProxy;
let limiter: Limiter<string, true>;

beforeEach(async () => {
  stage = await Stage.set();
  proxy = await TcpProxy.to(stage.server.port);
  const store = stage.store({ client: stage.client(proxy.port) });
  limiter = createLimiter({ limit: 1000, window: '1h', store });
  await stage.untilBack(limiter);
});

afterEach(async () => {
  await stage.clear();
  await proxy.stop();
});

it('A network that takes 5 ms leaves the decisions to Redis', async () => {
  const store = stage.store({ client: stage.client(proxy.port), timeout: AMPLE_MS });
  limiter = createLimiter({ limit: 1000, window: '1h', store });
  proxy.delayMs = 5;
  const answers = [];
  for (let i = 0; i < 30; i += 1) answers.push(await stage.ask(limiter));
  expect(sourcesOf(answers)).toEqual(new Set(['store']));
  expect(Math.min(...answers.map(({ tookMs }) => tookMs))).toBeGreaterThan(2);
});

it('A network that takes 500 ms leaves them to the policy, until it is quick again', async () => {
  proxy.delayMs = 500;
  expect(sourcesOf(await stage.askFor(limiter, 700))).toEqual(new Set(['local']));
  proxy.delayMs = 0;
  // What was sent last is on its way for so long.
  await sleep(500);
  await stage.untilBack(limiter);
  stage.expectAllInTime();
});
