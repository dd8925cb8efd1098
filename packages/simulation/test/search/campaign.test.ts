import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CampaignOptions, type CampaignResult, runCampaign } from '../../src/search/campaign.js';
import type { Crew } from '../../src/search/crew.js';
import type { Play } from '../../src/search/failure.js';
import type { KnownDefect } from '../../src/search/known-defects.js';
import { runSeed } from '../../src/search/seed-run.js';
import type { Step, Tape } from '../../src/tape/tape.js';
import { tapeOf } from './tapes.js';

const isCall = (call: string) => (step: Step) => 'call' in step && step.call === call;

/** A fleet in which resets and runs break something, on certain stores. */
const play: Play = async (tape) => {
  const { steps, setup } = tape;
  const breaks = (invariant: string) => ({ invariant, atMs: 0, calls: [], says: 'Something is wrong.' });
  const violation =
    steps.some(isCall('reset')) && setup.store.kind === 'memory'
      ? breaks('bound')
      : steps.some(isCall('run')) && setup.store.kind === 'table'
        ? breaks('at-rest')
        : undefined;
  return { violation, events: steps.length * 3, calls: steps.length, history: JSON.stringify(tape) };
};

const reset: Step = { atMs: 0, call: 'reset', process: 0, policy: 0, subject: 0 };
const known: KnownDefect = {
  name: 'reset-in-memory',
  what: 'A reset in memory forgets too much.',
  invariant: 'bound',
  tape: tapeOf([reset]),
};

describe('runCampaign', () => {
  let folder: string;
  let lines: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'campaign-'));
    lines = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (options: Partial<CampaignOptions>, fleet: Play = play): Promise<CampaignResult> => {
    const crew: Crew = { size: 2, run: (seed, own) => runSeed(seed, fleet, own), end: async () => undefined };
    const say = (line: string) => lines.push(line);
    return runCampaign(crew, { from: 1, to: 150, stops: false, known: [], folder, shrinkMs: 5000, say, ...options });
  };

  it('plays each seed once, and counts what happened', async () => {
    const seeds: number[] = [];
    const crew: Crew = {
      size: 2,
      run: (seed, own) => {
        seeds.push(seed);
        return runSeed(seed, async (tape) => ({ ...(await play(tape)), violation: undefined }), own);
      },
      end: async () => undefined,
    };
    const result = await runCampaign(crew, {
      from: 5,
      to: 9,
      stops: false,
      known: [],
      shrinkMs: 0,
      say: () => undefined,
    });
    expect(seeds).toEqual([5, 6, 7, 8, 9]);
    expect(result.seeds).toBe(5);
    expect(result.events).toBe(result.calls * 3);
    expect(result.unknown).toEqual([]);
  });

  it('writes the shrunk tape of an unknown failure, in the form of a list entry', async () => {
    const { unknown } = await run({});
    const invariants = new Set(unknown.map(({ invariant }) => invariant));
    expect(invariants).toEqual(new Set(['bound', 'at-rest']));
    expect(readdirSync(folder)).toHaveLength(unknown.length);
    const [{ file, seed } = { file: '', seed: 0 }] = unknown;
    const entry: KnownDefect = JSON.parse(readFileSync(file, 'utf8'));
    expect(entry.tape.steps).toHaveLength(1);
    expect(entry.story).toContain('One process');
    expect(lines.join('\n')).toContain(`Seed ${seed} breaks ${entry.invariant}. Its tape: ${file}`);
  });

  it('counts failures with tapes of the same shape once', async () => {
    const { unknown } = await run({ to: 400 });
    expect(Math.max(...unknown.map(({ times }) => times))).toBeGreaterThan(1);
  });

  it('knows what is on the list', async () => {
    const result = await run({ known: [known] });
    expect(result.known.get('reset-in-memory')).toBeGreaterThan(0);
    expect(new Set(result.unknown.map(({ invariant }) => invariant))).toEqual(new Set(['at-rest']));
    expect(lines).toContain(`known defect reset-in-memory: ${result.known.get('reset-in-memory')}`);
  });

  it('says at the end what each fault set has shown, and figures for a reader in a hurry', async () => {
    await run({ known: [known] });
    expect(lines.find((line) => line.startsWith('faults'))).toMatch(/^faults +runs +events +known +unknown$/);
    expect(lines.find((line) => line.startsWith('none'))).toMatch(/^none( +[\d,]+){4}$/);
    expect(lines.at(-1)).toMatch(
      /^simulation: 150 seeds, [\d,]+ calls, [\d,]+ events in \d+ s \([\d,]+ events a second\); \d+ unknown failures, 1 known defects met$/,
    );
  });

  it('stops with the first unknown failure, or after so many events', async () => {
    expect((await run({ stops: true })).unknown.length).toBeLessThanOrEqual(2);
    const { events, seeds } = await run({ to: undefined, events: 1000 });
    expect(events).toBeGreaterThanOrEqual(1000);
    expect(seeds).toBeLessThan(50);
  });

  it('reports an error of the fleet, whatever the list says', async () => {
    const broken: Play = async (tape: Tape) => {
      if (tape.steps.some(isCall('peek'))) throw new Error('the fleet has sunk');
      return play(tapeOf([]));
    };
    const entry = { ...known, invariant: 'can-be-played', matches: {} };
    const { unknown } = await run({ to: 30, known: [entry] }, broken);
    expect(unknown[0]).toMatchObject({
      invariant: 'can-be-played',
      says: expect.stringContaining('the fleet has sunk'),
    });
    expect(unknown[0]?.tape.steps).toHaveLength(1);
  });

  it('reports a tape with two histories', async () => {
    let runs = 0;
    const forgetful: Play = async (tape) => {
      runs += 1;
      return { ...(await play(tape)), violation: undefined, history: String(runs) };
    };
    const { unknown } = await run({ to: 60 }, forgetful);
    expect(unknown).toMatchObject([{ seed: 50, says: 'Two runs of this tape had different histories.' }]);
  });
});
