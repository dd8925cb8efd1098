// Looks at the pages of the built site in Chromium, and uses the playground. `--quick` is what CI has the time for: axe looks at one page of
// each kind. Addresses after the command name the only pages to look at.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pagesOfBuilt } from './built-pages.mjs';
import { launchChromium } from './chromium.mjs';
import { mistakesOfPages } from './look.mjs';
import { checkPlayground } from './playground/check.mjs';
import { BASE, BUILT } from './repository.mjs';
import { serve } from './serve.mjs';

const AXE = readFileSync(fileURLToPath(new URL('node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');

/**
 * A page of each kind: the first one, of the reference, with tables and code, of a code. Every other page has the colours
 * of one of them.
 */
const KINDS = new Set(['/', '/api/core/load', '/running', '/errors/SLUICE_KEY'].map((path) => BASE + path.slice(1)));

/** With `--quick`, axe looks at what is beside the text on this page alone: it is the same on all pages. */
const WHOLE = `${BASE}errors/SLUICE_KEY`;

/** A page with an image that nobody describes, and a pale text. Whoever finds nothing here would find nothing anywhere. */
const PLANTED =
  '<!doctype html><html lang="en"><title>Planted</title><h1>Planted</h1><img src="data:,"><p style="color: #aaa">pale';

/** Fails unless axe finds what is planted. */
async function checkAxe(browser) {
  const found = await mistakesOfPages(browser, {
    origin: 'data:text/html,',
    paths: [encodeURIComponent(PLANTED)],
    axe: AXE,
    auditOf: () => ({ part: 'html', hasColours: true }),
  });
  assert.deepEqual(
    found.map((mistake) => /(?:\w+: )?axe: [\w-]+/.exec(mistake)?.[0] ?? mistake),
    ['axe: image-alt', 'light: axe: color-contrast', 'dark: axe: color-contrast'],
  );
}

const options = new Set(process.argv.slice(2).filter((argument) => argument.startsWith('--')));
const named = process.argv.slice(2).filter((argument) => !options.has(argument));
const isQuick = options.has('--quick');

function auditOf(path) {
  if (isQuick && !KINDS.has(path)) return undefined;
  return {
    part: isQuick && path !== WHOLE ? '.VPContent' : 'html',
    hasColours: options.has('--colours') || KINDS.has(path),
  };
}

const paths = named.length > 0 ? named : pagesOfBuilt(BUILT, BASE).map(({ path }) => path);
// A page that has moved would else be looked at by nobody.
if (named.length === 0)
  assert.deepEqual(
    [...KINDS, WHOLE].filter((path) => !paths.includes(path)),
    [],
  );
const server = await serve();
const browser = await launchChromium();
try {
  await checkAxe(browser);
  const origin = `http://127.0.0.1:${server.address().port}`;
  const found = await mistakesOfPages(browser, { origin, paths, axe: AXE, auditOf, isFollowing: isQuick });
  for (const mistake of found) console.error(mistake);
  console.log(`${paths.length} pages of the site: ${found.length} mistakes`);
  if (found.length > 0) process.exitCode = 1;
  if (named.length === 0) {
    await checkPlayground(browser, { address: `${origin}${BASE}playground`, axe: AXE, isQuick });
    console.log('The playground of the site does what it has to do');
  }
} finally {
  await browser.close();
  server.close();
}
