// The limits of size and time that the page beside this file states, and what is measured without a program of its own.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { STAGE } from './published.mjs';

const PAGE = readFileSync(new URL('README.md', import.meta.url), 'utf8');

/** From the name of a limit to its value. */
export const LIMITS = Object.fromEntries(
  [...PAGE.matchAll(/\| `([a-z-]+)` *\| ([\d.]+) *\|/g)].map(([, name, limit]) => [name, Number(limit)]),
);

/** What a page in a browser would have. */
const BROWSER = `
  import { createLimiter, MemoryStore, slidingWindow } from '@sluice/core';
  globalThis.limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }), store: new MemoryStore() });
`;

/** The same in a page whose limiter waits. */
const WITH_LINES = `
  import '@sluice/core/lines';
  ${BROWSER}
`;

/** The same with a calendar window. */
const WITH_CALENDARS = `
  import '@sluice/core/calendars';
  import { createLimiter, fixedWindow, MemoryStore } from '@sluice/core';
  const limit = fixedWindow({ limit: 1, window: { unit: 'day', timeZone: 'Europe/Rome' } });
  globalThis.limiter = createLimiter({ limit, store: new MemoryStore() });
`;

/** Returns the bundle that an application would make of the staged packages, and the packages that are in it. */
async function bundleOf(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: join(STAGE, 'core') },
    bundle: true,
    minify: true,
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const used = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
  return { code: outputFiles[0].contents, hasLuxon: used.some((path) => path.includes('node_modules/luxon/')) };
}

const report = (line, isMet) => {
  console.log(`${line}${isMet ? '' : ': FAILED'}`);
  return isMet;
};

const COUNTS = 'console.log([1, 2].map(() => limiter.consume("ann").allowed).join());';

/** Whether bundlers keep the import of calendars, of which nothing is used, and leave their library out without it. */
function checkCalendars(without, calendars) {
  const input = `${Buffer.from(calendars.code)}\n${COUNTS}`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-'], { input, encoding: 'utf8' }).trim();
  const isMet = !without.hasLuxon && calendars.hasLuxon && printed === 'true,false';
  return report('bundles have calendars with their import, and only then', isMet);
}

/** What a page has, and a worker, beside the language. */
const OF_PAGES = [
  'AbortController',
  'AbortSignal',
  'TextDecoder',
  'TextEncoder',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'performance',
  'queueMicrotask',
];

/** In a page, a timer is a number. */
const timer =
  (start) =>
  (...args) =>
    Number(start(...args).unref());

/** A key that is so long is hashed. */
const COUNTS_HASHED = COUNTS.replace('console.log(', '(').replace('"ann"', '"ann".repeat(50)');

/** Returns what a script says in a page that has run a bundle, where there is nothing of Node.js. */
function resultInPage({ code }, script) {
  const globals = Object.fromEntries(OF_PAGES.map((name) => [name, globalThis[name]]));
  const page = createContext({ ...globals, setInterval: timer(setInterval), setTimeout: timer(setTimeout) });
  return runInContext(`${Buffer.from(code)}\n${script}`, page);
}

/** Whether the bundle of a page counts. */
const checkPage = (browser) =>
  report('the bundle of a page needs nothing of Node.js', resultInPage(browser, COUNTS_HASHED) === 'true,false');

const WAITS = "limiter.wait('ann').then(({ allowed }) => allowed, ({ code }) => code)";

/** Whether the limiter of a page waits with the import of lines, and only then. */
async function checkLines(without, lines) {
  const results = await Promise.all([without, lines].map((bundle) => resultInPage(bundle, WAITS)));
  return report('the limiter of a page waits with the import of lines', results.join() === 'SLUICE_UNSUPPORTED,true');
}

/** Returns whether the staged packages are small enough as bundles of applications, and prints how large they are. */
export async function checkBundles() {
  const [browser, lines, calendars] = await Promise.all([BROWSER, WITH_LINES, WITH_CALENDARS].map(bundleOf));
  const kb = gzipSync(browser.code, { level: 9 }).length / 1000;
  const limit = LIMITS['browser-kb'];
  const isSmall = report(`browser-kb: ${kb.toFixed(1)}, at most ${limit}`, kb <= limit);
  return [isSmall, checkPage(browser), await checkLines(browser, lines), checkCalendars(browser, calendars)].every(
    Boolean,
  );
}
