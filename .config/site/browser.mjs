// Looks at every page of the built site in Chromium, on a screen of 400 pixels and on a wide one, light and dark: no error on the console,
// no request to elsewhere, nothing wider than the screen, and nothing that axe finds serious.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BASE, BUILT, ROOT } from './repository.mjs';
import { serve } from './serve.mjs';

const SITE = fileURLToPath(new URL('.', import.meta.url));
const AXE = readFileSync(`${SITE}node_modules/axe-core/axe.min.js`, 'utf8');

/** What the repository has for its tests, and the site needs no second one of. */
const require = createRequire(`${ROOT}package.json`);
const { chromium } = require('playwright-core');
const { buildSync } = require('esbuild');

const NARROW = { width: 400, height: 800 };
const WIDE = { width: 1280, height: 800 };

/** Where Chromium is. The tests of the repository know how to install it: a module in TypeScript. */
async function chromiumPath() {
  const folder = mkdtempSync(join(SITE, 'node_modules/.chromium-'));
  try {
    const outfile = join(folder, 'program.cjs');
    const entryPoints = [`${ROOT}packages/test-kit/src/debian/debian-program.ts`];
    buildSync({ entryPoints, bundle: true, platform: 'node', outfile, logLevel: 'error' });
    return require(outfile).debianProgram('chromium-headless-shell');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The paths of all pages, without the one for addresses that are no page. */
const paths = readdirSync(BUILT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.html') && file !== '404.html')
  .map((file) => BASE + file.replace(/(?:^|(?<=\/))index\.html$|\.html$/, ''))
  .sort();

/**
 * Pages at whose colours axe looks, light and dark, on a wide screen: with the sidebar, and with code in all languages. Colours are the same
 * on every page, and take axe ten times as long as everything else. `--colours` has it look at all pages so.
 */
const COLOURED = new Set(
  ['/', '/api/express', '/running', '/balancers', '/policy-file', '/errors/SLUICE_KEY'].map(
    (path) => BASE + path.slice(1),
  ),
);

/** What axe finds serious, one line for each rule. */
async function seriousOf(page, options) {
  const violations = await page.evaluate(
    async (options) => (await window.axe.run(document, { ...options, resultTypes: ['violations'] })).violations,
    options,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes: [{ target, failureSummary }] }) => `axe: ${id}: ${target}: ${failureSummary.replace(/\s+/g, ' ')}`,
    );
}

/** What axe finds in the colours of a page. */
async function seriousColoursOf(page) {
  const found = [];
  await page.setViewportSize(WIDE);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((theme) => document.documentElement.classList.toggle('dark', theme === 'dark'), theme);
    const serious = await seriousOf(page, { runOnly: ['color-contrast'] });
    found.push(...serious.map((mistake) => `${theme}: ${mistake}`));
  }
  return found;
}

/** Everything that is wrong with a page. */
async function mistakesOf(page, origin, path) {
  const mistakes = [];
  const onConsole = (message) => message.type() === 'error' && mistakes.push(`console: ${message.text()}`);
  const onError = (error) => mistakes.push(`error: ${error.message}`);
  const onRequest = (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) mistakes.push(`asks ${url}`);
  };
  page.on('console', onConsole).on('pageerror', onError).on('request', onRequest);
  await page.setViewportSize(NARROW);
  await page.goto(origin + path, { waitUntil: 'load' });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (width > NARROW.width) mistakes.push(`is ${width} pixels wide on a screen of ${NARROW.width}`);
  mistakes.push(...(await seriousOf(page, { rules: { 'color-contrast': { enabled: false } } })));
  if (isOfAllColours || COLOURED.has(path)) mistakes.push(...(await seriousColoursOf(page)));
  page.off('console', onConsole).off('pageerror', onError).off('request', onRequest);
  return mistakes.map((mistake) => `${path} ${mistake}`);
}

const isOfAllColours = process.argv.includes('--colours');
const named = process.argv.slice(2).filter((argument) => argument !== '--colours');
const chosen = named.length > 0 ? named : paths;
const server = await serve();
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
const page = await browser.newPage({ reducedMotion: 'reduce' });
await page.addInitScript({ content: AXE });
const found = [];
for (const path of chosen) found.push(...(await mistakesOf(page, origin, path)));
await browser.close();
server.close();
for (const mistake of found) console.error(mistake);
console.log(`${chosen.length} pages of the site: ${found.length} mistakes`);
process.exitCode = found.length === 0 ? 0 : 1;
