// Checks the playground in Chromium: every preset, a keyboard, a link, a log, and what it says of a wrong option.
import assert from 'node:assert/strict';

/** How the page is looked at: the first view is that of CI. */
const VIEWS = [
  { colorScheme: 'dark', width: 400 },
  { colorScheme: 'light', width: 1280 },
];

/** Opens a page of the site, and returns it with a function that fails if it has done what it must not do. */
async function open(browser, address, { colorScheme = 'light', width = 1280 } = {}) {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  const mistakes = [];
  const requests = [];
  page.on('pageerror', (error) => mistakes.push(String(error)));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && mistakes.push(message.text()));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  const check = async () => {
    const { origin } = new URL(address);
    assert.deepEqual(mistakes, []);
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:')),
      [],
    );
    await page.close();
  };
  return { page, requests, check };
}

const sumOf = (page) => page.textContent('.pg-summary [role=status]');

/** Waits until what was chosen has been played. */
async function play(page, choose) {
  const before = await page.evaluate(() => location.hash);
  await choose();
  await page.waitForFunction((hash) => location.hash !== hash, before);
}

async function everyPresetCanBeChosen(browser, address, axe, view) {
  const { page, check } = await open(browser, address, view);
  await page.waitForSelector('.pg-summary');
  const presets = page.locator('.pg-preset select');
  const ids = await presets
    .locator('option')
    .evaluateAll((options) => options.map(({ value }) => value).filter(Boolean));
  assert.ok(ids.length > 10);
  for (const id of ids) {
    await play(page, () => presets.selectOption(id));
    await page.waitForSelector('.pg-sides dl');
    assert.equal(await page.locator('.pg-problem').count(), 0, id);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${id} is too wide`);
  }
  for (const details of await page.locator('.playground details').all()) {
    await details.evaluate((element) => element.setAttribute('open', ''));
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the forms are too wide');
  await page.addScriptTag({ content: axe });
  const { violations } = await page.evaluate(() => globalThis.axe.run('.playground', { preload: false }));
  assert.deepEqual(
    violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => id),
    [],
  );
  await check();
}

async function aKeyboardIsEnough(browser, address) {
  const { page, check } = await open(browser, address);
  await page.waitForSelector('.pg-summary');
  const scrub = page.locator('.pg-scrub');
  await scrub.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  assert.match(await scrub.getAttribute('aria-valuetext'), /^0:01: \d+ admitted, \d+ delayed, \d+ refused$/);
  const drawn = page.locator('.pg-drawn').first();
  await drawn.focus();
  await play(page, () => page.keyboard.press('PageUp'));
  assert.equal(await drawn.getAttribute('aria-valuetext'), 'Column 1 of 60: 11 requests');
  await check();
}

async function aLinkCarriesTheState(browser, address) {
  const first = await open(browser, address);
  await first.page.waitForSelector('.pg-summary');
  await play(first.page, () => first.page.getByLabel('Limit', { exact: true }).fill('7'));
  const [link, sum] = [first.page.url(), await sumOf(first.page)];
  const second = await open(browser, link);
  await second.page.waitForSelector('.pg-summary');
  assert.equal(await sumOf(second.page), sum);
  await first.check();
  await second.check();
}

async function aLogIsPlayed(browser, address) {
  const { page, check } = await open(browser, address);
  await page.waitForSelector('.pg-summary');
  await page.getByLabel('An access log').check();
  await page.getByRole('button', { name: 'Take an example' }).click();
  await page.waitForFunction(() =>
    document.querySelector('.pg-summary [role=status]')?.textContent.startsWith('15 requests'),
  );
  await check();
}

async function aWrongOptionIsSaid(browser, address) {
  const { page, check } = await open(browser, address);
  await page.waitForSelector('.pg-summary');
  await page.getByLabel('Window', { exact: true }).fill('1 minute');
  await page.waitForSelector('.pg-problem');
  assert.match(await page.textContent('.pg-problem'), /use '1m'/);
  await check();
}

/** The core, and the view of it. Its page itself is small: VitePress loads it in advance where a link to it can be seen. */
const CORE = /\/chunks\/Playground\./;

async function noOtherPageLoadsTheCore(browser, address) {
  for (const [other, loads] of [
    [address, true],
    [address.replace('playground', 'algorithms'), false],
  ]) {
    const { page, requests, check } = await open(browser, other);
    await page.waitForLoadState('networkidle');
    assert.equal(
      requests.some((url) => CORE.test(url)),
      loads,
      other,
    );
    await check();
  }
}

/**
 * Fails with what is wrong with the playground.
 *
 * @param browser - Chromium, of Playwright.
 * @param site
 * @param site.address - The page.
 * @param site.axe - The source of axe.
 * @param site.isQuick - Whether presets are chosen in one view alone.
 */
export async function checkPlayground(browser, { address, axe, isQuick }) {
  for (const view of isQuick ? VIEWS.slice(0, 1) : VIEWS) await everyPresetCanBeChosen(browser, address, axe, view);
  await aKeyboardIsEnough(browser, address);
  await aLinkCarriesTheState(browser, address);
  await aLogIsPlayed(browser, address);
  await aWrongOptionIsSaid(browser, address);
  await noOtherPageLoadsTheCore(browser, address);
}
