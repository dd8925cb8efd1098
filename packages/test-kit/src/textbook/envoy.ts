import { expect, it } from '@jest/globals';
import type { AdapterRequest } from '@sluice/conformance';
import { everyone, tokenBucket } from '@sluice/core';
import type { Start } from './app.js';
import { from, times } from './say.js';

/** max_tokens: 100, tokens_per_fill: 10, fill_interval: 1s */
const BUCKET = tokenBucket({ name: 'bucket', capacity: 100, refillRate: 10 });
const SHARED = { limit: BUCKET, keyGenerator: everyone() };

/** Returns these numbers again and again, in place of random ones. */
function cycle(...values: readonly number[]): () => number {
  let next = 0;
  return () => values[next++ % values.length] as number;
}

export function envoyScenarios(start: Start): void {
  it('B9: all clients share 100 tokens, and 10 come back per second', async () => {
    const app = await start(SHARED);
    expect(await app.atOnce(60, from('203.0.113.7'))).toEqual(times(60, 200));
    expect(await app.atOnce(41, from('203.0.113.8'))).toEqual([...times(40, 200), 429]);
    expect(await app.at(99).inTurn(1)).toEqual([429]);
    expect(await app.at(100).inTurn(2)).toEqual([200, 429]);
    expect(await app.at(1100).atOnce(11)).toEqual([...times(10, 200), 429]);
  });

  it('B9: enabled for half of the requests, the limit does not count the others', async () => {
    const random = cycle(0.4, 0.6);
    const app = await start({ ...SHARED, cost: 50, skip: () => random() >= 0.5 });
    expect(await app.inTurn(6)).toEqual([200, 200, 200, 200, 429, 200]);
  });

  it('B9: enforced for half of the requests, the limit counts the others, and the handler learns what it would refuse', async () => {
    const random = cycle(0.4, 0.6);
    const shadowed: unknown[] = [];
    const handle = ({ rateLimit }: AdapterRequest) => {
      shadowed.push(rateLimit?.shadowed);
      return { status: 200, body: {} };
    };
    const app = await start({ ...SHARED, cost: 50, enforce: () => (random() < 0.5 ? 1 : 0) }, handle);
    expect(await app.inTurn(6)).toEqual([200, 200, 429, 200, 429, 200]);
    expect(shadowed).toEqual([false, false, true, true]);
  });

  it('B9: enforced for a share of the clients, the limit refuses the same ones all the time', async () => {
    const app = await start({ limit: BUCKET, cost: 100, enforce: 0.3 });
    const hosts = Array.from({ length: 20 }, (_, i) => from(`203.0.113.${i + 1}`));
    const refusedHosts = async (): Promise<number[]> => {
      const statuses = await Promise.all(hosts.map(async (say) => (await app.ask(say)).status));
      return statuses.flatMap((status, host) => (status === 429 ? [host] : []));
    };
    expect(await refusedHosts()).toEqual([]);
    const refused = await refusedHosts();
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(12);
    expect(await refusedHosts()).toEqual(refused);
  });
}
