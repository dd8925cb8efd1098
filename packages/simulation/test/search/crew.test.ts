import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandError } from '../../src/search/command-error.js';
import { READY, WorkerCrew } from '../../src/search/crew.js';
import { tapeOfSeed } from '../../src/search/seed-run.js';
import { tapeOf } from './tapes.js';

/**
 * What a thread does with a seed that ends by itself or never ends, or with a tape in which it is so. It stands for the player, which
 * would need such a defect in the code.
 */
const PROGRAM = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ tape, seed = tape.chance }) => {
  if (seed === 1) throw new Error('out of luck');
  if (seed === 2) process.exit(3);
  if (seed === 3) for (;;);
  parentPort.postMessage({ seed, faults: 'none', events: 1, calls: 1 });
  if (seed === 6) setTimeout(() => { throw new Error('too late') });
});
parentPort.postMessage('${READY}');
`;

describe('WorkerCrew', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'crew-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const programOf = (text: string): URL => {
    const file = join(folder, `${text.length}.mjs`);
    writeFileSync(file, text);
    return pathToFileURL(file);
  };
  const begin = (text: string, size = 1, longestLoadMs?: number) =>
    WorkerCrew.begin(
      size,
      { roots: [], modules: '' },
      { program: programOf(text), longestRunMs: 500, ...(longestLoadMs !== undefined && { longestLoadMs }) },
    );
  const options = { shrinkMs: 0 };

  it.each([
    [1, 'can-be-played', 'Its thread ended: Error: out of luck'],
    [2, 'can-be-played', 'Its thread ended: Error: exit code 3'],
    [3, 'ends', 'The run did not end within 0.5 s.'],
  ])('keeps the seed %i, whose thread fails: %s', async (seed, invariant, says) => {
    const crew = await begin(PROGRAM);
    const { failure } = await crew.run(seed, options);
    expect(failure).toMatchObject({ invariant, tape: tapeOfSeed(seed, {}), says: expect.stringContaining(says) });
    expect(await crew.run(4, options)).toEqual({ seed: 4, faults: 'none', events: 1, calls: 1 });
    await crew.end();
  });

  it.each([
    [1, 'can-be-played: Its thread ended: Error: out of luck'],
    [3, 'ends: The run did not end within 0.5 s.'],
  ])('says what a tape does to its thread: %s, %s', async (chance, line) => {
    const crew = await begin(PROGRAM);
    const { lines, isNew } = await crew.report({ ...tapeOf([]), chance }, { ...options, story: false, shrink: false });
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(isNew).toBe(true);
    await crew.end();
  });

  it('blames no seed for a thread that ends when it has nothing to do', async () => {
    const crew = await begin(PROGRAM);
    expect((await crew.run(6, options)).failure).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await crew.run(7, options)).failure).toBeUndefined();
    await crew.end();
  });

  it('goes on with the other threads meanwhile', async () => {
    const crew = await begin(PROGRAM, 2);
    const [stuck, other] = await Promise.all([crew.run(3, options), crew.run(5, options)]);
    expect(stuck.failure?.invariant).toBe('ends');
    expect(other.failure).toBeUndefined();
    await crew.end();
  });

  it('does not begin without the code', async () => {
    await expect(begin(`throw new Error('there is no such code');`)).rejects.toThrow(CommandError);
    await expect(begin(`throw new Error('there is no such code');`)).rejects.toThrow('there is no such code');
    await expect(begin('for (;;);', 1, 500)).rejects.toThrow('A thread could not load the code: not within 0.5 s');
  });
});
