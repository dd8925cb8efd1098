// Looks at pages in Chromium, one after another in one tab, on a screen of 400 pixels: no error on the console, no request to elsewhere,
// nothing wider than the screen. What axe finds takes ten times as long, so that the caller chooses the pages for it.

/** Low, since Chromium draws what is on the screen, and asks for the pages that links on it lead to. */
const NARROW = { width: 400, height: 120 };
const WIDE = { width: 1280, height: 800 };

/**
 * @typedef {object} Audit What axe looks at.
 * @property {string} part - The selector of an element. `html` is all of the page.
 * @property {boolean} hasColours - Whether it also looks at the colours, light and dark, on a wide screen. These take most of its time.
 */

/**
 * Looks at pages of a site.
 *
 * @param browser - Chromium, of Playwright.
 * @param site
 * @param site.origin - Where the site is served.
 * @param site.paths - The pages.
 * @param site.axe - The source of axe.
 * @param {(path: string) => Audit | undefined} site.auditOf - What axe looks at on a page.
 * @param site.isFollowing - Whether a page without an audit is shown by the script of the page before, as for a reader who follows a link.
 * That takes a sixth of the time of a load. It does not show what goes wrong while a page is loaded.
 * @returns A line for each mistake. It begins with the path of the page.
 */
export async function mistakesOfPages(browser, { origin, paths, axe, auditOf, isFollowing }) {
  const page = await browser.newPage({ reducedMotion: 'reduce', viewport: NARROW });
  const found = [];
  let path;
  const tell = (mistake) => found.push(`${path} ${mistake}`);
  watch(page, origin, tell);
  for (path of paths) {
    const audit = auditOf(path);
    if (isFollowing && !audit && path !== paths[0]) await page.evaluate(follow, path);
    else await load(page, origin + path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > NARROW.width) tell(`is ${width} pixels wide on a screen of ${NARROW.width}`);
    if (audit) await tellSerious(page, axe, audit, tell);
  }
  await page.close();
  return found;
}

/** Tells what pages do that they must not do, as they do it. */
function watch(page, origin, tell) {
  page.on('console', (message) => message.type() === 'error' && tell(`console: ${message.text()}`));
  page.on('pageerror', (error) => tell(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) tell(`asks ${url}`);
  });
}

async function load(page, url) {
  await page.goto(url, { waitUntil: 'load' });
  // A page of the site is complete once Vue has taken over what was built. Other pages have no such element.
  await page.waitForFunction(() => {
    const app = document.getElementById('app');
    return app === null || app.__vue_app__ !== undefined;
  });
}

/** Runs in the page: has the router of VitePress show another page, and waits until it is drawn. */
async function follow(path) {
  const { provides } = document.getElementById('app').__vue_app__._context;
  const router = Object.getOwnPropertySymbols(provides)
    .map((key) => provides[key])
    .find((provided) => typeof provided?.go === 'function');
  await router.go(path);
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}

/** Tells what axe finds serious, once for each rule. */
async function tellSerious(page, axe, { part, hasColours }, tell) {
  await page.evaluate(axe);
  await tellViolations(page, part, { rules: { 'color-contrast': { enabled: false } } }, tell);
  if (!hasColours) return;
  await page.setViewportSize(WIDE);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((theme) => document.documentElement.classList.toggle('dark', theme === 'dark'), theme);
    await tellViolations(page, part, { runOnly: ['color-contrast'] }, (mistake) => tell(`${theme}: ${mistake}`));
  }
  await page.setViewportSize(NARROW);
}

async function tellViolations(page, part, options, tell) {
  const { violations } = await page.evaluate(
    ([part, options]) => window.axe.run(part, options),
    [
      part,
      // To preload sheets of style again takes half of the time, and serves no rule that is on.
      { ...options, resultTypes: ['violations'], preload: false },
    ],
  );
  for (const { id, impact, nodes } of violations) {
    const [{ target, failureSummary }] = nodes;
    if (impact !== 'serious' && impact !== 'critical') continue;
    tell(`axe: ${id}: ${target}: ${failureSummary.replace(/\s+/g, ' ')}`);
  }
}
