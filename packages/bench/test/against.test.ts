import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Plugin } from 'esbuild';
import { compare } from '../src/against.js';
import type { Measure } from '../src/comparison.js';
import { decisions } from '../src/measures/decisions.js';
import { SCALES } from '../src/scale.js';
import { bundleChild } from './bundle.js';

/** A checkout in which each decision of Sluice in process takes some microseconds more. */
const slowedDown: Plugin = {
  name: 'slowed-down',
  setup({ onLoad }) {
    onLoad({ filter: /contenders\/memory\/sluice\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const slow = source.replaceAll('limiter.consume(', '(wasteTime(), limiter).consume(');
      if (slow === source) throw new Error('nothing was slowed down');
      const wasteTime = 'function wasteTime() { for (let i = 0; i < 300; i += 1) performance.now(); }';
      return { contents: `${slow}\n${wasteTime}`, loader: 'ts' };
    });
  },
};

const [measure] = decisions(['hot key, allowed'], { ...SCALES.tiny, hasProcesses: true, decisions: 2_000 });
const measures = new Map([['in-process', [measure as Measure]]]);
const ROUNDS = 3;

describe('a comparison with another checkout', () => {
  let usual: string;
  let slow: string;
  let printed: string[];
  const print = (text: string): void => void printed.push(text);

  beforeAll(async () => {
    [usual, slow] = await Promise.all([bundleChild('usual'), bundleChild('slowed-down', [slowedDown])]);
  });

  it('finds that decisions have become slower', async () => {
    printed = [];
    const worse = await compare(measures, { now: slow, base: usual }, ROUNDS, print);
    expect(worse).toEqual(['in-process: Sluice sliding window: hot key, allowed']);
    expect(printed.join()).toMatch(/hot key, allowed \|.*\*\*worse\*\*/);
  });

  it('has nothing to say about decisions that have become faster', async () => {
    printed = [];
    expect(await compare(measures, { now: usual, base: slow }, ROUNDS, print)).toEqual([]);
    expect(printed.join()).not.toContain('worse');
  });
});

describe('a base without a newer section', () => {
  const PROGRAMS = { now: 'now.js', base: 'base.js' };
  const measureOf = (name: string, failsIn?: string): Measure => ({
    figures: [{ name, unit: 'ns' }],
    async start(program) {
      if (program === failsIn)
        throw new Error('the process ended with 1: file:///x.js:1\nSyntaxError: no such export\n');
      return { round: async () => [1], end: async () => undefined };
    },
  });

  it('is compared by the others, and a line says what was skipped', async () => {
    const printed: string[] = [];
    const lists = new Map([
      ['new', [measureOf('a', 'base.js')]],
      ['partly new', [measureOf('b', 'base.js'), measureOf('c')]],
      ['old', [measureOf('d')]],
    ]);
    expect(await compare(lists, PROGRAMS, 1, (text) => void printed.push(text))).toEqual([]);
    expect(printed[0]).toBe('new: skipped, because the base cannot run it: SyntaxError: no such export\n');
    expect(printed[1]).toContain('- Skipped, because the base cannot run it: b: SyntaxError: no such export');
    expect(printed[1]).toMatch(/^\| c /m);
    expect(printed[2]).toMatch(/^\| d /m);
  });

  it('fails if nothing is left, and if it is this checkout which fails', async () => {
    const failing = (program: string) => compare(new Map([['new', [measureOf('a', program)]]]), PROGRAMS, 1, () => {});
    await expect(failing('base.js')).rejects.toThrow('The base can run nothing of this');
    await expect(failing('now.js')).rejects.toThrow('SyntaxError: no such export');
  });
});
