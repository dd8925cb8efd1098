import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { boundOf, leakyBucket, slidingWindow, tokenBucket } from '@sluice/core';
import { outcomeOf } from '../src/overload/outcome.js';
import { PROTECTIONS, type Protection } from '../src/overload/protection.js';
import type { Results, Run } from '../src/overload/results.js';
import { codeOf, madeBy } from '../src/pictures/code.js';
import { FAILURES_TO_OPEN, PROBE_EVERY_MS } from '../src/pictures/diagrams/freeze.js';
import { DIAGRAMS } from '../src/pictures/diagrams/index.js';
import { longestWaitMs, mostHandled } from '../src/pictures/figures.js';
import { MODES } from '../src/pictures/modes.js';
import { drawOverload, PICTURED } from '../src/pictures/overload.js';
import { draw } from '../src/pictures/picture.js';
import { type Outcome, type Simulation, simulate } from '../src/pictures/simulate.js';
import { TRAFFIC } from '../src/pictures/traffic.js';

const PACKAGES = join(__dirname, '../..');
const DOCS = join(PACKAGES, 'core/docs');
const SIMULATIONS = new Map<string, Simulation>();

beforeAll(async () => {
  for (const mode of MODES) SIMULATIONS.set(mode.name, await simulate(mode));
});

const picturesIn = (...names: readonly string[]): string[] =>
  names.flatMap((name) => readdirSync(join(PACKAGES, name, 'docs/pictures')));

const outcomesOf = (name: string): readonly Outcome[] => SIMULATIONS.get(name)?.outcomes ?? [];
const handledOf = (name: string, client?: string): number =>
  outcomesOf(name).filter((outcome) => outcome.fate !== 'refused' && (client ?? outcome.client) === outcome.client)
    .length;

describe('The pictures of the modes', () => {
  it.each(MODES.map((mode) => [mode.name, mode] as const))('%s shows what the limiter decides today', (name, mode) => {
    const drawn = draw(mode, SIMULATIONS.get(name) as Simulation);
    if (drawn === readFileSync(join(DOCS, `pictures/${name}.svg`), 'utf8')) return;
    throw new Error(`${name}.svg is stale: look whether it changed as you meant, then run npm run pictures`);
  });

  it('are one for each mode and each measured load, and a page shows each of them', () => {
    const pages = ['choosing-a-mode.md', 'rolling-out-a-limit.md', 'overload.md'].map((page) =>
      readFileSync(join(DOCS, page), 'utf8'),
    );
    const shown = pages.flatMap((page) => [...page.matchAll(/\(pictures\/(.*)\.svg\)/g)].map(([, name]) => name));
    const names = [...MODES.map(({ name }) => name), ...PICTURED.map((handler) => `overload-${handler}`)];
    const drawn = [...names.map((name) => `${name}.svg`), ...DIAGRAMS.map(({ path }) => basename(path))];
    expect([...drawn].sort()).toEqual(picturesIn('core', 'server').sort());
    expect([...new Set(shown)].sort()).toEqual(names.sort());
  });

  it.each(MODES.map(({ name }) => name))('%s shows the whole traffic', (name) => {
    const arrived = outcomesOf(name).map(({ client, arrivedMs }) => ({ client, atMs: arrivedMs }));
    expect(arrived).toEqual(TRAFFIC);
  });
});

describe('The diagrams', () => {
  it.each(DIAGRAMS)('$path is drawn as the code is today', ({ path, draw: drawn }) => {
    if (drawn() === readFileSync(join(PACKAGES, path), 'utf8')) return;
    throw new Error(`${path} is stale: look whether it changed as you meant, then run npm run pictures`);
  });

  it.each(DIAGRAMS)('$path is shown by $page', ({ path, page }) => {
    expect(readFileSync(join(PACKAGES, page), 'utf8')).toContain(`(pictures/${basename(path)})`);
  });

  it('have the numbers of the breaker', () => {
    const code = readFileSync(join(PACKAGES, 'remote/src/guard/breaker.ts'), 'utf8');
    expect(code).toContain(`FAILURES_TO_OPEN = ${FAILURES_TO_OPEN};`);
    expect(code).toContain(`PROBE_EVERY_MS = ${PROBE_EVERY_MS};`);
  });
});

describe('The pictures of overload', () => {
  it.each(PICTURED)('of the handler %s show the last measured run', (handler) => {
    const results = JSON.parse(readFileSync(join(__dirname, '../results/overload.json'), 'utf8')) as Results;
    if (drawOverload(handler, results) === readFileSync(join(DOCS, `pictures/overload-${handler}.svg`), 'utf8')) return;
    throw new Error(`overload-${handler}.svg is stale: run npm run pictures`);
  });

  it('show the means of several runs, and from where to where they went', () => {
    const point = (times: number, goodPerSecond: number) => ({
      ...{ times, capacity: 100, actualTimes: times, kept: goodPerSecond / 100, lateP99Ms: 1, clientProcessor: 0.1 },
      outcome: { ...outcomeOf([], 1), goodPerSecond },
    });
    const runsOf = (protection: Protection, ...goods: readonly (readonly [number, number, number])[]): Run[] =>
      goods.map(([once, twice, thrice], run) => ({
        ...({ run, host: 'Fastify', handler: 'sync', protection } as const),
        points: [point(1, once), point(2, twice), point(3, thrice)],
      }));
    const runs = PROTECTIONS.flatMap((protection) =>
      protection === 'shedLoad'
        ? runsOf(protection, [100, 10, 0], [60, 20, 0], [80, 60, 0])
        : runsOf(protection, [100, 50, 0]),
    );
    const drawn = drawOverload('sync', { date: '2026-11-30', machine: 'a machine', runs, costs: [] });
    expect(drawn).toContain('<desc>nothing: 100 % at 1, 50 % at 2, 0 % at 3.');
    expect(drawn).toContain('shedLoad: 80 % at 1, 30 % at 2, 0 % at 3.');
    // At 1 and at 2: the good answers alone differ.
    expect(drawn.match(/class="range shed"/g)).toHaveLength(2);
    // Nobody was admitted, so there is no latency: the legend and the good answers at three loads.
    expect(drawn.match(/class="mark shed"/g)).toHaveLength(4);
  });
});

describe('In the pictures', () => {
  const limit = slidingWindow({ limit: 20, window: '10s' });

  it.each([
    ['hard', boundOf(limit, '10s')],
    ['headroom', boundOf(limit, '10s')],
    ['wait', boundOf(limit, '10s')],
    ['line', boundOf(limit, '10s')],
    ['tolerance', boundOf(limit, '10s', { margin: 5 })],
    ['elastic', boundOf(limit, '10s', { margin: 20 })],
    ['token-bucket', boundOf(tokenBucket({ capacity: 20, refillRate: 2 }), '10s')],
    ['leaky-bucket', boundOf(leakyBucket({ capacity: 20, leakRate: 2 }), '10s')],
    ['leaky-bucket-immediate', boundOf(leakyBucket({ capacity: 20, leakRate: 2, immediate: 10 }), '10s')],
  ])('%s is close to its bound of %p, and never above it', (name, bound) => {
    const most = mostHandled(outcomesOf(name));
    expect(most).toBeLessThanOrEqual(bound);
    expect(most).toBeGreaterThanOrEqual(bound * 0.8);
  });

  it('a guarantee holds the limit, and passes it by what is lent at most', () => {
    expect(mostHandled(outcomesOf('guarantee'))).toBeLessThanOrEqual(boundOf(limit, '10s', { guaranteed: 16 }));
    const most = mostHandled(outcomesOf('guarantee-lend'));
    expect(most).toBeLessThanOrEqual(boundOf(limit, '10s', { guaranteed: 16, lend: 1 }));
    expect(most).toBeGreaterThan(limit.quota);
  });

  it('a limit that is not enforced refuses nobody', () => {
    expect(handledOf('mark')).toBe(TRAFFIC.length);
  });

  it.each([
    ['headroom', 'hard'],
    ['guarantee', 'hard'],
    ['guarantee-lend', 'hard'],
    ['line', 'wait'],
  ])('%s serves all requests of Ann, of which %s refuses some', (fair, other) => {
    const sent = TRAFFIC.filter(({ client }) => client === 'ann').length;
    expect(handledOf(fair, 'ann')).toBe(sent);
    expect(handledOf(other, 'ann')).toBeLessThan(sent);
  });

  it.each([
    ['slow-down', 2000],
    ['wait', 3000],
    ['line', 3000],
  ])('no request of %s waits longer than %p ms', (name, mostMs) => {
    expect(longestWaitMs(outcomesOf(name))).toBeLessThanOrEqual(mostMs);
    expect(longestWaitMs(outcomesOf(name))).toBeGreaterThan(mostMs / 2);
  });
});

describe('Options as code', () => {
  it('are written as a reader would write them', () => {
    const priority = () => 'low';
    const limit = madeBy(tokenBucket, { capacity: 20, refillRate: 2 });
    const options = {
      limit,
      window: '10s',
      priority,
      byName: priority,
      elastic: { upTo: 40, while: { isCalm: true } },
    };
    expect(codeOf(options)).toBe(
      "{ limit: tokenBucket({ capacity: 20, refillRate: 2 }), window: '10s', priority, byName: priority, elastic: { upTo: 40, while: calm } }",
    );
  });
});
