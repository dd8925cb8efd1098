import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulateCommand } from '../../src/search/command.js';
import { type CodeFolders, type Crew, playOf } from '../../src/search/crew.js';
import { reportOf } from '../../src/search/one-tape.js';
import { readPieces } from '../../src/search/pieces.js';
import { runSeed } from '../../src/search/seed-run.js';
import type { Step } from '../../src/tape/tape.js';
import { tapeOf } from './tapes.js';

const consume: Step = { atMs: 0, call: 'consume', process: 0, policy: 0, subject: 0, cost: 1, times: 6 };

/** One player, in the thread of the test. */
const inThisThread = async (_: number, folders: CodeFolders): Promise<Crew> => {
  const play = await playOf(folders);
  return {
    size: 1,
    run: (seed, options) => runSeed(seed, play, options),
    report: (tape, options) => reportOf(tape, play, options),
    end: async () => undefined,
  };
};

describe('npm run simulate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'simulate-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const simulate = async (...args: string[]) => {
    const lines: string[] = [];
    const code = await simulateCommand(args, (line) => lines.push(line), inThisThread);
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
    expect(readPieces(pieces)).toMatchObject({ plan: { from: 1 }, next: 4, seeds: 3 });
    const none = await simulate('--seeds', '1-3', '--pieces', pieces);
    expect(figuresOf(none.text)).toBe(figuresOf(last.text));
  });

  it('leaves a file alone that is not the file of this campaign', async () => {
    const file = join(folder, 'thesis.txt');
    writeFileSync(file, 'my thesis');
    const refused = await simulate('--seeds', '1-2', '--pieces', file);
    expect(refused).toMatchObject({ code: 2, text: expect.stringContaining('is not the file of a campaign') });
    expect(readFileSync(file, 'utf8')).toBe('my thesis');
    const pieces = join(folder, 'own.json');
    await simulate('--seeds', '1-2', '--pieces', pieces);
    const before = readFileSync(pieces, 'utf8');
    expect(await simulate('--seeds', '5-6', '--pieces', pieces)).toMatchObject({
      code: 2,
      text: expect.stringContaining('another --seeds: from 1, not 5'),
    });
    expect(await simulate('--seeds', '1-4', '--faults', 'none', '--pieces', pieces)).toMatchObject({
      code: 2,
      text: expect.stringContaining('another --faults: faults drawn, not none'),
    });
    expect(readFileSync(pieces, 'utf8')).toBe(before);
  });

  it('lets two campaigns not use one file at the same time, and takes over that of one that was killed', async () => {
    const pieces = join(folder, 'shared.json');
    // The process that began this test runs as long as it does.
    writeFileSync(`${pieces}.lock`, String(process.ppid));
    expect(await simulate('--seeds', '1-1', '--pieces', pieces)).toMatchObject({
      code: 2,
      text: `A campaign that runs now uses ${pieces}. If none does, delete ${pieces}.lock.`,
    });
    expect(existsSync(pieces)).toBe(false);
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(`${pieces}.lock`, String(pid));
    expect((await simulate('--seeds', '1-1', '--pieces', pieces)).code).toBe(0);
    expect(existsSync(`${pieces}.lock`)).toBe(false);
  });

  it('says what keeps it from being carried out, with an exit code of its own', async () => {
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, JSON.stringify({ tape: tapeOf([{ ...consume, process: 7 }]) }));
    const mixed = join(folder, 'mixed.json');
    writeFileSync(
      mixed,
      JSON.stringify(tapeOf([], { processes: [{ clockAheadMs: 0 }, { clockAheadMs: 0, code: 1 }] })),
    );
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['--seed', '1', '--base', 'nowhere'], 'There is no commit nowhere.'],
      [['--tape', join(folder, 'missing.json')], 'missing.json cannot be read: ENOENT'],
      [['--tape', broken], 'broken.json cannot be played. Step 0: there is no process 7'],
      [['--seeds', '1-2', '--until', 'no-such-defect'], 'the searched code has no known defect no-such-defect'],
      [['--tape', mixed], 'mixed.json is of processes with 2 versions of the code: play it with --beside.'],
      [['--seed', '1', '--root', folder], `--root: ${folder} is no checkout`],
      [['--seeds', '1-2', '--pieces', folder], `${folder} is not the file of a campaign`],
      [['--seeds', '1-2', '--pieces', join(broken, 'a.json')], 'a.json cannot be written: '],
      [['--seeds', '1-2', '--folder', broken], `Tapes cannot be written to ${broken}: `],
    ];
    for (const [args, text] of cases) {
      expect(await simulate(...args)).toMatchObject({ code: 2, text: expect.stringContaining(text) });
    }
  });

  it('plays the same campaign twice', async () => {
    const figuresOf = (text: string) => /^simulation: (.+) in /m.exec(text)?.[1];
    const [first, second] = [await simulate('--seeds', '1-3'), await simulate('--seeds', '1-3')];
    expect(figuresOf(first.text)).toMatch(/^3 seeds, /);
    expect(figuresOf(second.text)).toBe(figuresOf(first.text));
  });
});
