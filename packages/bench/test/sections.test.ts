import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { redisProgram } from '../src/redis-server.js';
import { bundle } from './bundle.js';

const IS_FULL = process.env.SLUICE_SUITES === 'full';

/** `npm run proof -- suites` prints these, too. Each of the servers of `http` is asked by another test. */
const LONGER = ['live-keys', 'expiry', 'mixed', 'shared-key', 'several-processes', 'growth', 'http'];

const OVER_REDIS = ['redis', 'mixed', 'rare', 'shared-key', 'several-processes', 'growth'];

const SECTIONS = [
  'in-process',
  'allocation',
  'admission',
  'live-keys',
  'expiry',
  'attack',
  'redis',
  'mixed',
  'rare',
  'shared-key',
  'several-processes',
  'growth',
  'http',
]
  .filter((section) => IS_FULL || !LONGER.includes(section))
  .filter(
    // Other tests can do with a server in a container.
    (section) => !OVER_REDIS.includes(section) || process.env.SLUICE_TEST_REDIS || redisProgram() !== undefined,
  );
const PEERS = ['express-rate-limit', 'rate-limiter-flexible', '@fastify/rate-limit', '@nestjs/throttler'];

/** What leads to no comparison. Each needs a process, which loads all that could be compared: CI tries one of them. */
const MISTAKES: readonly (readonly [title: string, args: readonly string[], message: string])[] = [
  ['a section that compares nothing', ['--against', 'HEAD', 'expiry'], 'npm run bench -- --against COMMIT'],
  ...(IS_FULL
    ? [
        ['no commit', ['--against'], 'npm run bench -- --against COMMIT'] as const,
        [
          'an unknown commit',
          ['--against', 'no-such-commit', 'allocation'],
          'There is no commit no-such-commit',
        ] as const,
      ]
    : []),
];

const run = promisify(execFile);
let program: string;
/** The tables of each section, in a size that measures nothing. One run prints all: a program of its own for each would load as much. */
let tables: ReadonlyMap<string, string>;

beforeAll(async () => {
  program = await bundle();
  const { stdout } = await run(process.execPath, [program, '--scale', 'tiny', ...SECTIONS]);
  const [, ...printed] = stdout.split(/^(?=## )/m);
  expect(printed).toHaveLength(SECTIONS.length);
  tables = new Map(SECTIONS.map((section, i) => [section, printed[i] as string]));
}, 300_000);

describe('the bench', () => {
  it.each(SECTIONS)('prints a table of the section %s', (section) => {
    const lines = tables.get(section)?.split('\n') ?? [];
    const rows = lines.filter((line) => line.startsWith('| '));
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.some((row) => row.startsWith('| Sluice'))).toBe(true);
    // Over Redis, Express's peer counts by a store of another name, and Nest's has none of its own.
    const absent = PEERS.filter((peer) => !rows.some((row) => row.startsWith(`| ${peer} `)));
    const expected = {
      admission: PEERS,
      redis: ['express-rate-limit', '@nestjs/throttler'],
      'shared-key': PEERS,
      'several-processes': PEERS,
      growth: PEERS,
      http: ['rate-limiter-flexible'],
    };
    expect(absent).toEqual(section in expected ? expected[section as keyof typeof expected] : []);
  });

  it('prints no other section than those named: what model calls cost, for each chunk, each text and each number of budgets, and what counters, listeners and tiers cost', async () => {
    const { stdout } = await run(process.execPath, [program, '--scale', 'tiny', 'model-calls', 'operations']);
    const titles = stdout.match(/^## .*/gm);
    expect(titles).toEqual(['## Calls of language models', '## Operations: counters, listeners and tiers']);
    const rows = stdout.split('\n').filter((line) => /^\| \S.*\d/.test(line));
    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual([
      ...['bare relay', 'Sluice'],
      ...['English', 'one letter', 'spaces', 'Chinese', 'base64', 'emoji'],
      ...['one budget', 'organisation, team, user, key and model', 'one budget, without the count of what is held'],
      ...['nobody reads', 'counters are read after each 1,000 decisions'],
      ...['a listener that does not read keys', 'a listener that reads keys'],
      ...['nobody reads', 'nobody reads, once more'],
      ...['the 20 requests after a reading', 'the reading itself', 'both'],
      ...Array.from({ length: 3 }, () => [
        'the same for all',
        'the same for all, after the look-up',
        'chosen by the look-up',
      ]).flat(),
    ]);
  }, 60_000);

  // `npm run proof -- suites` runs these: the second takes as long as all the others.
  if (IS_FULL) {
    it('prints what a decision of a fleet costs Redis', async () => {
      const { stdout } = await run(process.execPath, [program, '--scale', 'tiny', 'fleet']);
      const rows = stdout.split('\n').filter((line) => /^\| \S.*\d/.test(line));
      expect(rows.map((row) => row.split('|').length)).toEqual(Array(11).fill(9));
    }, 60_000);

    it('prints what servers do under overload: the most important requests fare best, and a refusal costs about as much as any', async () => {
      const { stdout } = await run(process.execPath, [program, '--scale', 'tiny', 'overload']);
      const cellsOf = (name: string): number[][] =>
        stdout
          .split('\n')
          .filter((line) => line.startsWith(`| ${name} `))
          .map((line) =>
            line
              .split('|')
              .slice(2, -1)
              .map((cell) => Number.parseFloat(cell)),
          );
      const loads = cellsOf('Fastify, shedLoad');
      expect(loads.map(([, times]) => times)).toEqual([0.5, 3]);
      for (const [, , kept, ofIdeal, soon, , , , critical = 0, normal = 0, low = 0] of loads) {
        for (const value of [kept, ofIdeal, soon, critical]) expect(value).toBeGreaterThan(0);
        expect(critical).toBeGreaterThanOrEqual(Math.max(normal, low));
      }
      const [[ownUs, shedLoadUs] = []] = cellsOf('Fastify');
      for (const value of [ownUs, shedLoadUs]) expect(value).toBeGreaterThan(0);
    }, 180_000);
  }

  it('prints its usage if the section is unknown', async () => {
    await expect(run(process.execPath, [program, 'no-such-section'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('in-process|allocation'),
    });
  }, 180_000);

  it.each(MISTAKES)(
    'compares with nothing for %s',
    async (_, args, stderr) => {
      const outcome = { code: 2, stderr: expect.stringContaining(stderr) };
      await expect(run(process.execPath, [program, ...args])).rejects.toMatchObject(outcome);
    },
    180_000,
  );
});
