import { expect, it } from '@jest/globals';
import { slidingWindowCounter } from '@sluice/core';
import type { Start } from './app.js';
import { times } from './say.js';

export function slidingWindowCounterScenarios(start: Start): void {
  it('A23: half-way through a window of 3 after one of 4, a limit of 5 refuses', async () => {
    const app = await start({ limit: slidingWindowCounter({ limit: 5, window: '1m' }) });
    expect(await app.at(30_000).inTurn(4)).toEqual(times(4, 200));
    // As early as the weight of the previous window lets three pass.
    for (const second of [60, 75, 89.999]) expect(await app.at(second * 1000).inTurn(1)).toEqual([200]);
    expect(await app.at(90_000).inTurn(1)).toEqual([429]);
    expect(await app.at(90_001).inTurn(2)).toEqual([200, 429]);
  });

  it('A24: a quarter into a window of 30 after one of 80, the estimate is 90 and a limit of 100 admits', async () => {
    const app = await start({ limit: slidingWindowCounter({ limit: 100, window: '1m' }) });
    expect(await app.atOnce(80)).toEqual(times(80, 200));
    expect(await app.at(74_000).atOnce(30)).toEqual(times(30, 200));
    const { status, headers } = await app.at(75_000).ask();
    expect(status).toBe(200);
    expect(headers['x-ratelimit-remaining']).toBe('9');
    expect(await app.inTurn(10)).toEqual([...times(9, 200), 429]);
  });
}
