import { expect, it } from '@jest/globals';
import { tokenBucket } from '@sluice/core';
import { byHeader } from '@sluice/core/http';
import { by, type Start } from './app.js';
import { from, times, withKey } from './say.js';

export function tokenBucketScenarios(start: Start): void {
  it('A1: with capacity 3 and one more a second, three requests pass and the fourth gets 429', async () => {
    const app = await start({ limit: tokenBucket({ capacity: 3, refillRate: 1 }) });
    expect(await app.inTurn(4)).toEqual([200, 200, 200, 429]);
    expect(await app.at(999).inTurn(1)).toEqual([429]);
    expect(await app.at(1000).inTurn(2)).toEqual([200, 429]);
  });

  it('A2: two addresses behind a trusted proxy have buckets of their own', async () => {
    const app = await start({ limit: tokenBucket({ capacity: 2, refillRate: 1 }) });
    expect(await app.inTurn(3, from('203.0.113.7'))).toEqual([200, 200, 429]);
    expect(await app.inTurn(3, from('203.0.113.8'))).toEqual([200, 200, 429]);
  });

  it('A3: with capacity 1 and ten more a second, a request is refused at once and admitted after 100 ms', async () => {
    const app = await start({ limit: tokenBucket({ capacity: 1, refillRate: 10 }) });
    expect(await app.inTurn(2)).toEqual([200, 429]);
    expect(await app.at(99).inTurn(1)).toEqual([429]);
    expect(await app.at(100).inTurn(2)).toEqual([200, 429]);
  });

  it('A4: with capacity 50 and no refill, 50 requests in parallel all pass and the 51st never does', async () => {
    const app = await start({ limit: tokenBucket({ capacity: 50, refillRate: 0 }) });
    expect(await app.atOnce(50)).toEqual(times(50, 200));
    const refused = await app.ask();
    expect(refused.status).toBe(429);
    expect(refused.headers).not.toHaveProperty('retry-after');
    app.clock.advance('29d');
    expect(await app.inTurn(1)).toEqual([429]);
    expect(app.startsMs).toHaveLength(50);
  });

  it('A5: an api-key header is the key, and requests without one have a bucket of their own', async () => {
    const limit = tokenBucket({ capacity: 2, refillRate: 0 });
    const app = await start((tools) => ({ limit, keyGenerator: by(tools, byHeader('api-key')) }));
    expect(await app.inTurn(3, withKey('one'))).toEqual([200, 200, 429]);
    expect(await app.inTurn(3, withKey('two'))).toEqual([200, 200, 429]);
    expect(await app.inTurn(3)).toEqual([200, 200, 429]);
  });

  it('A6: with capacity 100, 100 requests at once pass and the next does not', async () => {
    const app = await start({ limit: tokenBucket({ capacity: 100, refillRate: 10 }) });
    expect(await app.atOnce(100)).toEqual(times(100, 200));
    expect(await app.inTurn(1)).toEqual([429]);
    expect(await app.at(100).inTurn(2)).toEqual([200, 429]);
  });

  it('A7: with capacity 10 and a cost of 5 each, two requests pass and the third does not', async () => {
    const app = await start({ limit: tokenBucket({ capacity: 10, refillRate: 0 }), cost: 5 });
    expect(await app.inTurn(3)).toEqual([200, 200, 429]);
  });

  it('A8: what skip lets through, like /health, is never counted', async () => {
    const limit = tokenBucket({ capacity: 2, refillRate: 0 });
    const app = await start((tools) => ({ limit, skip: by(tools, ({ url }) => url === '/health') }));
    const health = { path: '/health' };
    expect(await app.inTurn(5, health)).toEqual(times(5, 200));
    expect(await app.inTurn(3)).toEqual([200, 200, 429]);
    expect(await app.inTurn(1, health)).toEqual([200]);
  });
}
