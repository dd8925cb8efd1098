import { beforeAll, describe, expect, it } from '@jest/globals';
import { FAULT_SET_NAMES, FAULT_SETS } from '../../src/search/fault-sets.js';
import { faultSetOf, generateTape } from '../../src/search/generate.js';
import { wrongInTape } from '../../src/tape/check-tape.js';
import type { StoreSetup, Tape } from '../../src/tape/tape.js';

const SEEDS = 2000;
const tapes: Tape[] = [];

beforeAll(() => {
  for (let seed = 1; seed <= SEEDS; seed += 1) tapes.push(generateTape(seed));
});

const kindsOf = (store: StoreSetup): readonly string[] => {
  if ('of' in store) return [store.kind, ...kindsOf(store.of), `${store.kind} over ${store.of.kind}`];
  if ('nodes' in store) {
    const nodes = store.nodes.flatMap(kindsOf);
    return [store.kind, ...nodes, ...store.nodes.map((node) => `${store.kind} over ${node.kind}`)];
  }
  return [store.kind];
};

const countOf = (things: Iterable<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const thing of things) counts[thing] = (counts[thing] ?? 0) + 1;
  return counts;
};

/** Returns those of which there are fewer than that. */
const rareOf = (names: readonly string[], counts: Readonly<Record<string, number>>, least: number) =>
  names.filter((name) => (counts[name] ?? 0) < least);

describe('generateTape', () => {
  it('makes the same tape of the same seed', () => {
    for (const seed of [1, 2, 77, 123_456_789]) expect(generateTape(seed)).toEqual(generateTape(seed));
    expect(generateTape(1)).not.toEqual(generateTape(2));
  });

  it('makes the tape of a seed that drew its fault set, if that set is named', () => {
    for (let seed = 1; seed < 50; seed += 1) {
      expect(generateTape(seed, { faults: faultSetOf(seed) })).toEqual(generateTape(seed));
    }
  });

  it('refers to nothing that does not exist', () => {
    expect(tapes.flatMap(wrongInTape)).toEqual([]);
  });

  it('survives being written as JSON', () => {
    for (const tape of tapes.slice(0, 50)) expect(JSON.parse(JSON.stringify(tape))).toEqual(tape);
  });

  it('makes every kind of step', () => {
    const kinds = countOf(tapes.flatMap(({ steps }) => steps.map((step) => ('call' in step ? step.call : step.fault))));
    const calls = [
      ...['consume', 'peek', 'reserve', 'wait', 'run', 'settle', 'cancel', 'release', 'share', 'correct'],
      ...['charge', 'refund', 'reset', 'unblock', 'block', 'obey', 'replace', 'close'],
    ];
    expect(rareOf([...calls, ...FAULT_SETS.all.kinds], kinds, 20)).toEqual([]);
  });

  it('ends reservations a minute later and more, beside others who come just before and look just after', () => {
    const late = tapes.flatMap(({ steps }) => {
      const made = new Map(
        steps.flatMap((step) => ('call' in step && step.call === 'reserve' ? [[step.as, step]] : [])),
      );
      return steps.flatMap((step) => {
        if (!('call' in step) || (step.call !== 'cancel' && step.call !== 'settle')) return [];
        const { subject, atMs = step.atMs } = made.get(step.of) ?? {};
        const near = (ms: number) => ms !== 0 && Math.abs(ms) <= 20;
        const others = steps.filter((one) => 'subject' in one && one.subject === subject && near(one.atMs - step.atMs));
        const isBesides = others.some((one) => one.atMs < step.atMs) && others.some((one) => one.atMs > step.atMs);
        return step.atMs - atMs >= 60_000 ? [{ isBesides }] : [];
      });
    });
    expect(late.length).toBeGreaterThan(SEEDS / 10);
    expect(late.filter(({ isBesides }) => isBesides).length).toBeGreaterThan(SEEDS / 50);
  });

  it('lets requests of several subjects collide in less time than messages take', () => {
    const collisions = tapes.filter(({ steps }) => {
      const calls = steps.filter((step) => 'call' in step && step.call === 'consume');
      return calls.some((step, i) => {
        const soon = calls.slice(i).filter(({ atMs }) => atMs <= step.atMs + 10);
        return new Set(soon.map((one) => ('subject' in one ? one.subject : 0))).size >= 3;
      });
    });
    expect(collisions.length).toBeGreaterThan(SEEDS / 20);
  });

  it('makes every store and every algorithm', () => {
    const stores = countOf(tapes.flatMap(({ setup }) => [...new Set(kindsOf(setup.store))]));
    const trees = [
      ...['memory', 'redis', 'table', 'sharded', 'leased', 'synced', 'leased over redis', 'leased over table'],
      ...[
        'leased over sharded',
        'synced over redis',
        'synced over sharded',
        'sharded over leased',
        'sharded over table',
      ],
    ];
    expect(rareOf(trees, stores, 10)).toEqual([]);
    const limits = tapes.flatMap(({ setup }) => setup.policies.flatMap(({ variants }) => variants.flat()));
    const algorithms = countOf(limits.map(({ limit }) => limit.algorithm));
    expect(Object.keys(algorithms)).toHaveLength(7);
    expect(rareOf(Object.keys(algorithms), algorithms, 50)).toEqual([]);
    expect(limits.filter(({ guarantee }) => guarantee).length).toBeGreaterThan(30);
    expect(limits.filter(({ tolerance }) => tolerance).length).toBeGreaterThan(30);
    expect(limits.filter(({ enforce }) => enforce === 0).length).toBeGreaterThan(30);
  });

  it('runs a third of its tapes without a fault, and some with each fault set', () => {
    const sets = countOf(Array.from({ length: SEEDS }, (_, seed) => faultSetOf(seed)));
    expect(rareOf(FAULT_SET_NAMES, sets, 50)).toEqual([]);
    expect(sets.none).toBeGreaterThan(SEEDS / 4);
    const calm = Array.from({ length: 100 }, (_, seed) => generateTape(seed, { faults: 'none' }));
    expect(calm.flatMap(({ steps }) => steps).filter((step) => 'fault' in step && step.fault !== 'start')).toEqual([]);
  });

  it('draws a dozen to some hundred steps, and ten times as many for a few runs, most of which are about few subjects', () => {
    const lengths = tapes.map(({ steps }) => steps.length).sort((a, b) => a - b);
    expect(lengths[Math.floor(SEEDS / 20)]).toBeGreaterThan(6);
    expect(lengths[Math.floor(SEEDS * 0.95)]).toBeLessThan(300);
    const long = lengths.filter((length) => length > 300);
    expect(long.length / SEEDS).toBeGreaterThan(0.005);
    expect(Math.max(...long)).toBeLessThan(6000);
    const subjects = tapes.map(
      ({ steps }) => new Set(steps.flatMap((step) => ('subject' in step ? [step.subject] : []))).size,
    );
    expect(subjects.filter((count) => count <= 4).length / SEEDS).toBeGreaterThan(0.6);
  });

  it('takes less than two milliseconds of a processor for a hundred steps', () => {
    const rounds = Array.from({ length: 5 }, () => {
      const began = process.cpuUsage();
      let steps = 0;
      for (let seed = 1; seed <= 200; seed += 1) steps += generateTape(seed).steps.length;
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000 / (steps / 100);
    });
    // The fastest round: on a machine that is busy with other tests, a processor is slower, too.
    expect(Math.min(...rounds)).toBeLessThan(2);
  });
});
