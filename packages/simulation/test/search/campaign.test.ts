import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CampaignOptions, type Players, runCampaign } from '../../src/search/campaign.js';
import type { Play } from '../../src/search/failure.js';
import { generateTape } from '../../src/search/generate.js';
import type { KnownDefect } from '../../src/search/known-defects.js';
import { runSeed } from '../../src/search/seed-run.js';
import { TapeFolder } from '../../src/search/tape-folder.js';
import type { Totals } from '../../src/search/totals.js';
import type { Step, Tape } from '../../src/tape/tape.js';
import { tapeOf } from './tapes.js';

const isCall = (call: string) => (step: Step) => 'call' in step && step.call === call;

/** A fleet in which resets and reservations break something, on certain stores. */
const play: Play = async (tape) => {
  const { steps, setup } = tape;
  const breaks = (invariant: string) => ({ invariant, atMs: 0, calls: [], says: 'Something is wrong.' });
  const violation =
    steps.some(isCall('reset')) && setup.store.kind === 'memory'
      ? breaks('bound')
      : steps.some(isCall('reserve')) && setup.store.kind === 'table'
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

const any = { allows: ['*'] };

describe('runCampaign', () => {
  let folder: string;
  let lines: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'campaign-'));
    lines = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (options: Partial<CampaignOptions>, fleet: Play = play): Promise<Totals> => {
    const crew: Players = { size: 2, run: (seed, own) => runSeed(seed, fleet, own) };
    const say = (line: string) => lines.push(line);
    return runCampaign(crew, {
      from: 1,
      to: 150,
      stops: false,
      known: [],
      folder: new TapeFolder(folder, say),
      shrinkMs: 5000,
      say,
      ...options,
    });
  };

  const unknownOf = async (options: Partial<CampaignOptions>, fleet?: Play) =>
    Object.values((await run(options, fleet)).unknown);

  it('plays each seed once, and counts what happened', async () => {
    const seeds: number[] = [];
    const crew: Players = {
      size: 2,
      run: (seed, own) => {
        seeds.push(seed);
        return runSeed(seed, async (tape) => ({ ...(await play(tape)), violation: undefined }), own);
      },
    };
    const result = await runCampaign(crew, {
      from: 5,
      to: 9,
      stops: false,
      folder: new TapeFolder(folder, () => undefined),
      shrinkMs: 0,
      say: () => undefined,
    });
    expect(seeds).toEqual([5, 6, 7, 8, 9]);
    expect(result.seeds).toBe(5);
    expect(result.events).toBe(result.calls * 3);
    expect(result.unknown).toEqual({});
  });

  it('writes the shrunk tape of an unknown failure, in the form of a list entry', async () => {
    const unknown = await unknownOf({});
    const invariants = new Set(unknown.map(({ invariant }) => invariant));
    expect(invariants).toEqual(new Set(['bound', 'at-rest']));
    const files = readdirSync(folder);
    expect(files.filter((file) => !file.endsWith('-whole.json'))).toHaveLength(unknown.length);
    const [{ file, seed } = { file: '', seed: 0 }] = unknown;
    const entry: KnownDefect = JSON.parse(readFileSync(file, 'utf8'));
    expect(entry.tape.steps).toHaveLength(1);
    expect(entry.story).toContain('One process');
    const whole = JSON.parse(readFileSync(file.replace('.json', '-whole.json'), 'utf8'));
    expect(whole).toEqual(generateTape(seed));
    expect(lines.join('\n')).toContain(`Seed ${seed} breaks ${entry.invariant}. Its tape: ${file}`);
  });

  it('counts failures with tapes of the same shape once', async () => {
    const unknown = await unknownOf({ to: 400 });
    expect(Math.max(...unknown.map(({ times }) => times))).toBeGreaterThan(1);
  });

  it('knows what is on the list', async () => {
    const result = await run({ known: [known] });
    expect(result.known['reset-in-memory']).toBeGreaterThan(0);
    expect(new Set(Object.values(result.unknown).map(({ invariant }) => invariant))).toEqual(new Set(['at-rest']));
    const first = result.met['reset-in-memory'];
    expect(lines).toContainEqual(
      expect.stringMatching(
        `^known defect reset-in-memory: ${result.known['reset-in-memory']}, first by seed ${first?.seed} after \\d+ s of a processor, ${first?.file}$`,
      ),
    );
  });

  it('says at the end what each fault set has shown, and figures for a reader in a hurry', async () => {
    await run({ known: [known] });
    expect(lines.find((line) => line.startsWith('faults'))).toMatch(/^faults +runs +events +known +unknown$/);
    expect(lines.find((line) => line.startsWith('none'))).toMatch(/^none( +[\d,]+){4}$/);
    expect(lines.at(-1)).toMatch(
      /^simulation: 150 seeds, [\d,]+ calls, [\d,]+ events in \d+ s \([\d,]+ events a second\); \d+ unknown failures, 1 known defects met$/,
    );
  });

  it('makes the first tape that shows a known defect as small as it can be, and keeps it', async () => {
    // Many tapes have both calls, so that each is recognised long before it is small.
    const wide = { ...known, matches: { stores: any, algorithms: any, calls: any, faults: any, features: any } };
    const { met } = await run({ known: [wide] });
    const { tape } = JSON.parse(readFileSync(met['reset-in-memory']?.file ?? '', 'utf8'));
    expect(tape.steps).toHaveLength(1);
  });

  it('ends when all the defects that it looks for were met', async () => {
    const { met, seeds } = await run({ known: [known], until: ['reset-in-memory'], to: 1000 });
    expect(met['reset-in-memory']?.seed).toBeLessThanOrEqual(seeds);
    expect(seeds).toBeLessThan(1000);
    const all = await run({ known: [known], until: ['reset-in-memory', 'another-one'] });
    expect(all.seeds).toBe(150);
  });

  it('leaves out what a known defect says to avoid, only of tapes with the stores that it names', async () => {
    const withIds = async (stores: readonly ('memory' | 'redis')[]): Promise<ReadonlySet<string>> => {
      const seen = new Set<string>();
      const watching: Play = async (tape) => {
        if (tape.steps.some((step) => 'id' in step)) seen.add(tape.setup.store.kind);
        return { ...(await play(tape)), violation: undefined };
      };
      // Of each eight seeds, one leaves nothing out.
      for (let from = 1; from < 200; from += 8)
        await run({ from, to: from + 6, known: [{ ...known, avoid: { ids: true, stores } }] }, watching);
      return seen;
    };
    expect(await withIds(['memory'])).toContain('redis');
    expect(await withIds(['memory'])).not.toContain('memory');
    expect(await withIds(['redis'])).toContain('memory');
    expect(await withIds(['redis'])).not.toContain('redis');
  });

  it('stops with the first unknown failure, or after so many events', async () => {
    expect((await unknownOf({ stops: true })).length).toBeLessThanOrEqual(2);
    const { events, seeds } = await run({ to: undefined, events: 1000 });
    expect(events).toBeGreaterThanOrEqual(1000);
    expect(seeds).toBeLessThan(50);
  });

  it('ends when a processor was busy for so long', async () => {
    const { seeds, processorSeconds } = await run({ processorSeconds: 1e-6 });
    expect(processorSeconds).toBeGreaterThan(1e-6);
    // Those that both players had begun.
    expect(seeds).toBeLessThanOrEqual(2);
    expect((await run({ processorSeconds: 1000 })).seeds).toBe(150);
  });

  it('counts in pieces what it counts in one run, each seed once, in whatever order they end', async () => {
    const early: Play = async (tape) => {
      if (tape.steps.length % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      return play(tape);
    };
    const rest = { seconds: 0, processorSeconds: 0, met: {}, versions: {}, unknown: {} };
    const whole = await run({ known: [known] }, early);
    let pieces: Totals | undefined;
    let saved: Totals | undefined;
    for (const [version, to] of Object.entries({ one: 40, two: 41, three: 150 })) {
      const save = (totals: Totals): void => {
        saved = structuredClone(totals);
      };
      pieces = await run({ known: [known], before: pieces, from: pieces ? 9999 : 1, to, version, save }, early);
      expect(saved).toEqual(pieces);
      expect(pieces.next).toBe(to + 1);
    }
    expect({ ...pieces, ...rest }).toEqual({ ...whole, ...rest });
    expect(Object.keys(pieces?.versions ?? {})).toEqual(['one', 'two', 'three']);
    const sum = Object.values(pieces?.versions ?? {}).reduce((all, events) => all + events, 0);
    expect(sum).toBe(whole.events);
    expect(lines.at(-1)).toMatch(/^simulation: 150 seeds, /);
  });

  it('tells a failure again when another version of the code shows it, and stops for its own ones only', async () => {
    const first = await run({ version: 'one' });
    const kinds = Object.keys(first.unknown).length;
    expect(kinds).toBeGreaterThan(0);
    lines.length = 0;
    const same = await run({ before: first, to: 160, version: 'one', stops: true });
    expect(same.next).toBe(161);
    expect(lines.filter((line) => line.startsWith('Seed '))).toHaveLength(Object.keys(same.unknown).length - kinds);
    const other = await run({ before: first, to: 1000, version: 'two', stops: true });
    expect(other.next).toBeLessThan(1001);
    expect(Object.values(other.unknown).filter(({ version }) => version === 'two').length).toBeGreaterThan(0);
  });

  it('ends a piece when it is told to, and leaves no seed out', async () => {
    const end = new AbortController();
    let plays = 0;
    const ending: Play = async (tape) => {
      plays += 1;
      if (plays === 20) end.abort();
      return { ...(await play(tape)), violation: undefined };
    };
    const { next, seeds } = await run({ signal: end.signal }, ending);
    expect(next).toBe(seeds + 1);
    expect(seeds).toBeGreaterThanOrEqual(19);
    expect(seeds).toBeLessThan(25);
  });

  it('reports an error of the fleet, whatever the list says', async () => {
    const broken: Play = async (tape: Tape) => {
      if (tape.steps.some(isCall('peek'))) throw new Error('the fleet has sunk');
      return play(tapeOf([]));
    };
    const entry = { ...known, invariant: 'can-be-played', matches: {} };
    const [failure] = await unknownOf({ to: 30, known: [entry] }, broken);
    expect(failure?.invariant).toBe('can-be-played');
    const { what, tape } = JSON.parse(readFileSync(failure?.file ?? '', 'utf8'));
    expect(what).toContain('the fleet has sunk');
    expect(tape.steps).toHaveLength(1);
  });

  it('says what it found when it cannot go on, and lets nobody play any longer', async () => {
    const seeds: number[] = [];
    const failure = { invariant: 'bound', says: 'Too much.', tape: tapeOf([]), whole: tapeOf([]), story: 'Too much.' };
    const players: Players = {
      size: 2,
      run: async (seed) => {
        seeds.push(seed);
        // The failure of seed 4 is there before the seed 3 is over, which never is.
        await new Promise((resolve) => setTimeout(resolve, seed === 3 ? 50 : 1));
        if (seed === 3) throw new Error('nobody plays');
        return { seed, faults: 'none', events: 1, calls: 1, ...(seed === 4 && { failure }) };
      },
    };
    const say = (line: string) => lines.push(line);
    const options = { from: 1, stops: false, folder: new TapeFolder(folder, say), shrinkMs: 0, say };
    await expect(runCampaign(players, options)).rejects.toThrow('nobody plays');
    const played = seeds.length;
    expect(lines).toContain(`Seed 4 breaks bound. Its tape: ${join(folder, 'bound-seed-4.json')}`);
    expect(lines.at(-1)).toMatch(/^simulation: 2 seeds, /);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seeds).toHaveLength(played);
  });

  it('says what it found when it cannot be saved', async () => {
    let saves = 0;
    const save = (): void => {
      saves += 1;
      if (saves > 1) throw new Error('the disk is full');
    };
    await expect(run({ save })).rejects.toThrow('the disk is full');
    expect(lines.at(-1)).toMatch(/^simulation: 150 seeds, /);
  });

  it('reports a tape with two histories', async () => {
    let runs = 0;
    const forgetful: Play = async (tape) => {
      runs += 1;
      return { ...(await play(tape)), violation: undefined, history: String(runs) };
    };
    const unknown = await unknownOf({ to: 60 }, forgetful);
    expect(unknown).toMatchObject([{ seed: 50 }]);
    expect(lines).toContain('Two runs of this tape had different histories.');
  });
});
