import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulateCommand } from '../../src/search/command.js';
import { readTotals } from '../../src/search/totals.js';
import type { Step } from '../../src/tape/tape.js';
import { tapeOf } from './tapes.js';

const consume: Step = { atMs: 0, call: 'consume', process: 0, policy: 0, subject: 0, cost: 1, times: 6 };

describe('npm run simulate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'simulate-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const simulate = async (...args: string[]) => {
    const lines: string[] = [];
    const code = await simulateCommand(args, (line) => lines.push(line));
    return { code, text: lines.join('\n') };
  };

  it('explains itself', async () => {
    const { code, text } = await simulate('--help');
    expect(code).toBe(0);
    expect(text).toContain('npm run simulate -- [what to play] [how]');
  });

  it('says what is wrong with an argument', async () => {
    expect(await simulate('--faults', 'gremlins')).toMatchObject({
      code: 2,
      text: expect.stringContaining('See --help.'),
    });
  });

  it('lists the known defects', async () => {
    expect(await simulate('--list')).toMatchObject({ code: 0, text: expect.stringMatching(/\d+ known defects$/) });
  });

  it('plays a tape, and tells it', async () => {
    const file = join(folder, 'tape.json');
    writeFileSync(file, JSON.stringify({ name: 'tape', tape: tapeOf([consume]) }));
    const { code, text } = await simulate('--tape', file, '--story');
    expect(text).toContain('process 0 asks for 1 unit of s0 6 times: 5 allowed, 1 refused for 1 s.');
    expect(text).toContain('Nothing is wrong.');
    expect(code).toBe(0);
  });

  it('goes on where the last piece of a campaign ended', async () => {
    const pieces = join(folder, 'pieces.json');
    const figuresOf = (text: string) => /^simulation: (.+) in /m.exec(text)?.[1];
    await simulate('--seeds', '1-2', '--pieces', pieces);
    const last = await simulate('--seeds', '1-3', '--pieces', pieces);
    expect(last.text).toMatch(/^Seeds from 3$/m);
    expect(figuresOf(last.text)).toBe(figuresOf((await simulate('--seeds', '1-3')).text));
    expect(readTotals(pieces)).toMatchObject({ from: 1, next: 4, seeds: 3 });
    const none = await simulate('--seeds', '1-3', '--pieces', pieces);
    expect(figuresOf(none.text)).toBe(figuresOf(last.text));
  });

  it('plays the same campaign twice', async () => {
    const figuresOf = (text: string) => /^simulation: (.+) in /m.exec(text)?.[1];
    const [first, second] = [await simulate('--seeds', '1-3'), await simulate('--seeds', '1-3')];
    expect(figuresOf(first.text)).toMatch(/^3 seeds, /);
    expect(figuresOf(second.text)).toBe(figuresOf(first.text));
  });
});
