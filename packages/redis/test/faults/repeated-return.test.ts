import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fixedWindow, type LimitCheck, type Store } from '@sluice/core';
import { LeasedStore } from '@sluice/core/distributed';
import { until } from '@sluice/test-kit/until';
import { Stage, sleep } from './stage.js';
import { TcpProxy } from './tcp-proxy.js';

const LIMIT = fixedWindow({ limit: 100, window: '1h' });
const check = (key: string, own: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'api',
  name: 'limit',
  key,
  limit: LIMIT,
  cost: 1,
  ...own,
});

let stage: Stage;
let proxy: TcpProxy;

beforeEach(async () => {
  stage = await Stage.set();
  proxy = await TcpProxy.to(stage.server.port);
});

afterEach(async () => {
  await stage.clear();
  await proxy.stop();
});

async function leftOf(store: Store<true>, key: string): Promise<number | undefined> {
  return (await store.consume({ checks: [check(key)], peek: true })).verdicts[0]?.remaining;
}

it('The rest of a slice is given back once, even if the client sends it again', async () => {
  const direct = stage.store({ timeout: 5000 });
  const there = stage.store({ client: stage.client(proxy.port), timeout: 2000 });
  const leased = new LeasedStore({ busyFrom: 1, store: there, lease: '300ms' });
  await direct.consume({ checks: [check('ann', { cost: 20 })] });
  // So that Redis knows the script, and need not ask for it.
  await direct.adjust({ checks: [check('bob')] });
  for (let i = 0; i < 9; i += 1) await leased.consume({ checks: [check('ann')] });
  // Slices of 1, 2, 4 and 8, of which 6 are left and come back in the sweep.
  expect(await leftOf(direct, 'ann')).toBe(65);
  proxy.losesReplies = true;
  await until(async () => (await leftOf(direct, 'ann')) !== 65, 5);
  // Made, but not acknowledged: the client sends it again over another connection.
  proxy.losesReplies = false;
  proxy.cut();
  await sleep(300);
  expect(await leftOf(direct, 'ann')).toBe(71);
});
