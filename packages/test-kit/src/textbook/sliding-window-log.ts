import { expect, it } from '@jest/globals';
import { slidingWindowLog } from '@sluice/core';
import type { Start } from './app.js';
import { times } from './say.js';

export function slidingWindowLogScenarios(start: Start): void {
  it('A21: the burst that passes around the edge of fixed windows is refused', async () => {
    const app = await start({ limit: slidingWindowLog({ limit: 10, window: '5s' }) });
    expect(await app.at(4999).inTurn(10)).toEqual(times(10, 200));
    expect(await app.at(5000).atOnce(10)).toEqual(times(10, 429));
    expect(await app.at(9998).inTurn(1)).toEqual([429]);
    expect(await app.at(9999).inTurn(11)).toEqual([...times(10, 200), 429]);
  });

  it('A22: with 2 a minute, requests at :01 and :30 pass, one at :40 is refused and one at 1:30 admitted', async () => {
    const app = await start({ limit: slidingWindowLog({ limit: 2, window: '1m' }) });
    const statuses: number[] = [];
    for (const second of [1, 30, 40, 90]) statuses.push((await app.at(second * 1000).ask()).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it('A22: with countRejected the refused request counts too, and takes the place of the one at :01', async () => {
    const statuses: number[][] = [];
    for (const countRejected of [false, true]) {
      const app = await start({ limit: slidingWindowLog({ limit: 2, window: '1m', countRejected }) });
      const own: number[] = [];
      for (const second of [1, 30, 40, 62]) own.push((await app.at(second * 1000).ask()).status);
      statuses.push(own);
    }
    expect(statuses).toEqual([
      [200, 200, 429, 200],
      [200, 200, 429, 429],
    ]);
  });
}
