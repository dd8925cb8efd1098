import { expect, it } from '@jest/globals';
import { boundOf, fixedWindow } from '@sluice/core';
import type { Start } from './app.js';
import { times } from './say.js';

export function fixedWindowScenarios(start: Start): void {
  it('A18: with a limit of 10 in 5 seconds, the 11th request is refused until the window is over', async () => {
    const app = await start({ limit: fixedWindow({ limit: 10, window: '5s' }) });
    expect(await app.inTurn(11)).toEqual([...times(10, 200), 429]);
    expect(await app.at(4999).inTurn(1)).toEqual([429]);
    expect(await app.at(5000).inTurn(11)).toEqual([...times(10, 200), 429]);
  });

  it('A19: around the edge of two windows twice the limit passes, and no more', async () => {
    const limit = fixedWindow({ limit: 10, window: '5s', align: 'clock' });
    const app = await start({ limit });
    expect(await app.at(4999).inTurn(11)).toEqual([...times(10, 200), 429]);
    expect(await app.at(5000).inTurn(11)).toEqual([...times(10, 200), 429]);
    expect(await app.at(9998).inTurn(1)).toEqual([429]);
    expect(app.startsMs).toHaveLength(boundOf(limit, '5s'));
    expect(boundOf(limit, '5s')).toBe(20);
  });

  it('A20: of 60 requests in parallel exactly 50 pass a limit of 50', async () => {
    const app = await start({ limit: fixedWindow({ limit: 50, window: '1m' }) });
    expect(await app.atOnce(60)).toEqual([...times(50, 200), ...times(10, 429)]);
    expect(app.startsMs).toHaveLength(50);
  });
}
