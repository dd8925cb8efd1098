import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { countsOf } from '../model/columns.js';
import { PRESETS, stateOfPreset } from '../model/presets.js';
import { run } from '../model/run.js';
import { worstWindows } from '../model/worst-window.js';

const DOCS = join(__dirname, '../../../../packages/core/docs');

async function played(id: string, side: 'theirs' | 'ours') {
  const preset = PRESETS.find((one) => one.id === id);
  if (!preset) throw new Error(`no preset ${id}`);
  const state = stateOfPreset(preset, side);
  const result = await run(state, false);
  return { ...countsOf(result.outcomes), worst: worstWindows(state, result).map(({ measured }) => measured) };
}

describe.each(PRESETS)('The preset $id', (preset) => {
  it('has a page, and limits that can be played', async () => {
    expect(existsSync(join(DOCS, preset.page))).toBe(true);
    for (const side of ['theirs', 'ours'] as const) {
      const { problem, traffic, outcomes } = await run(stateOfPreset(preset, side), false);
      expect([problem, traffic.leftOut]).toEqual([undefined, 0]);
      expect(outcomes.length).toBeGreaterThan(10);
    }
  });
});

describe('A preset shows what its page says:', () => {
  it.each(['express-rate-limit', 'fastify-rate-limit'])('%s admits 199 in a minute, and Sluice 100', async (id) => {
    expect((await played(id, 'theirs')).worst).toEqual([199]);
    expect((await played(id, 'ours')).worst).toEqual([100]);
  });

  it('@nestjs/throttler refuses for a whole ttl after each refusal', async () => {
    const [theirs, ours] = [await played('nestjs-throttler', 'theirs'), await played('nestjs-throttler', 'ours')];
    expect(theirs.worst).toEqual([10]);
    expect(ours.worst).toEqual([10]);
    expect(theirs.refused).toBeGreaterThan(ours.refused);
  });

  it('rolling-rate-limiter never admits a client again that does not stop', async () => {
    expect((await played('rolling-rate-limiter', 'theirs')).admitted).toBeLessThan(11);
    expect((await played('rolling-rate-limiter', 'ours')).admitted).toBeGreaterThan(20);
  });

  it('nginx admits 21 at once with burst=20', async () => {
    expect((await played('nginx-nodelay', 'theirs')).refused).toBeGreaterThan(0);
  });

  it('nginx admits one request of eight with 100r/m, and Sluice all', async () => {
    expect(await played('nginx-per-minute', 'theirs')).toMatchObject({ admitted: 6, refused: 42 });
    expect((await played('nginx-per-minute', 'ours')).refused).toBe(0);
  });

  it('Kong admits almost twice the limit around the turn of a minute', async () => {
    expect((await played('kong', 'theirs')).worst[0]).toBe(199);
    expect((await played('kong', 'ours')).worst[0]).toBe(100);
  });
});
