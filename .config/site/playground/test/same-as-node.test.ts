import { METHODS } from 'node:http';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import * as inPageHttp from '../browser/node-http.js';
import * as inPageNet from '../browser/node-net.js';
import { ALGORITHMS } from '../model/state.js';
import { everythingOf, type Played, playedBetween } from './played.js';
import { randomState } from './random-state.js';

const CHROMIUM = debianProgram('chromium-headless-shell');

/** How many random inputs there are, and how many of them are played without `SLUICE_RUNS`. */
const INPUTS = 1000;
const PLAYED = Number(process.env.SLUICE_RUNS ?? 150);

let browser: Browser;
let program: string;

beforeAll(async () => {
  const browserFolder = join(__dirname, '../browser');
  const built = build({
    entryPoints: [join(__dirname, 'in-page.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    // The same as in aliases.mjs, which Jest cannot load.
    alias: { 'node:http': join(browserFolder, 'node-http.ts'), 'node:net': join(browserFolder, 'node-net.ts') },
    conditions: ['@sluice/source', 'browser', 'module', 'import'],
  });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  program = (await built).outputFiles[0]?.text as string;
});

afterAll(() => browser.close());

describe('The core in a browser', () => {
  it('decides as in Node, with the same fields, for random inputs, and never above the bound', async () => {
    const page = await browser.newPage();
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.addScriptTag({ content: program });
    const inPage: Promise<Played[]> = page.evaluate(`playedBetween(0, ${PLAYED})`);
    const here = await playedBetween(0, PLAYED);
    const there = await inPage;
    const seed = here.findIndex(({ hash }, i) => there[i]?.hash !== hash);
    if (seed >= 0) {
      const inFull = JSON.parse(JSON.stringify(await everythingOf(seed)));
      expect([seed, await page.evaluate(`everythingOf(${seed})`)]).toEqual([seed, inFull]);
    }
    expect(there).toEqual(JSON.parse(JSON.stringify(here)));
    expect(errors).toEqual([]);
    expect(here.filter(({ problem }) => problem !== undefined)).toEqual([]);
    const sum = (count: (one: Played) => number): number => here.reduce((total, one) => total + count(one), 0);
    expect(sum(({ requests }) => requests)).toBeGreaterThan(20 * PLAYED);
    expect(sum(({ refused }) => refused)).toBeGreaterThan(5 * PLAYED);
    expect(sum(({ delayed }) => delayed)).toBeGreaterThan(PLAYED);
    expect(here.findIndex(({ isAboveBound }) => isAboveBound)).toBe(-1);
  });

  it('is compared with all algorithms and modes', () => {
    const limits = Array.from({ length: INPUTS }, (_, seed) => randomState(seed)).flatMap((state) => state.limits);
    for (const algorithm of ALGORITHMS)
      expect(limits.filter((limit) => limit.algorithm === algorithm).length).toBeGreaterThan(100);
    const modes = {
      calendar: limits.filter(({ algorithm, align }) => algorithm === 'fixed-window' && align === 'calendar'),
      interval: limits.filter(({ algorithm, interval }) => algorithm === 'token-bucket' && interval !== ''),
      immediate: limits.filter(({ algorithm, immediate }) => algorithm === 'leaky-bucket' && immediate > 0),
      report: limits.filter(({ enforce }) => enforce === 'report'),
      mark: limits.filter(({ enforce }) => enforce === 'mark'),
      countRejected: limits.filter(({ countRejected }) => countRejected === 'yes'),
      countAlways: limits.filter(({ countRejected }) => countRejected === 'always'),
      block: limits.filter(({ block, longestBlock }) => block !== '' && longestBlock === ''),
      growingBlock: limits.filter(({ longestBlock }) => longestBlock !== ''),
      tolerance: limits.filter(({ tolerance }) => tolerance > 0),
      elastic: limits.filter(({ elastic }) => elastic > 0),
      headroom: limits.filter(({ headroom }) => headroom > 0),
      slowDown: limits.filter(({ slowBy }) => slowBy !== ''),
      guarantee: limits.filter(({ part }) => part > 0),
      lend: limits.filter(({ lend }) => lend > 0),
    };
    for (const [mode, some] of Object.entries(modes)) expect([mode, some.length > 20]).toEqual([mode, true]);
  });
});

describe('What stands in for modules of Node', () => {
  it('has the methods of Node', () => {
    expect(METHODS.filter((method) => !inPageHttp.METHODS.includes(method))).toEqual([]);
  });

  it.each([
    '::1',
    '2001:db8::1',
    '::ffff:192.0.2.1',
    'fe80::1%eth0',
    '192.0.2.1',
    '',
    ':',
    '1:2',
    '::g',
    '1::2::3',
    '::1/64',
  ])('tells IPv6 as Node does: %j', (text) => {
    expect(inPageNet.isIPv6(text)).toBe(isIPv6(text));
  });
});
