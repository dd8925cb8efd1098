import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { TestProgram } from '@sluice/test-kit/test-program';
import { type Browser, chromium, type Page } from 'playwright-core';
import { minuteText, share } from '../../src/replay/numbers.js';
import type { ReplayResult } from '../../src/replay/replay-result.js';
import { count } from '../../src/terminal/counted.js';
import { sampleResult } from './sample-result.js';

const CHROMIUM = debianProgram('chromium-headless-shell');

/** What the program that reads these numbers does not show: its own version, and a length that is a heading. */
const NOT_SHOWN = new Set(['version', 'timelineStepMs']);

/** Markup in every text of a result that comes from a log or a file. */
const HOSTILE = '"><script>alert(1)</script><style>*{display:none}</style><a href="http://evil.example">&amp;';

const CLI = join(__dirname, '../..');

/** What `sluice replay --json` says about the example log. */
const EXAMPLE: ReplayResult = JSON.parse(readFileSync(join(CLI, 'test/replay/example/result.json'), 'utf8'));

const RESULTS = {
  example: EXAMPLE,
  usual: sampleResult(),
  hostile: sampleResult(HOSTILE),
  quiet: quiet(),
  empty: { ...quiet(), requests: { seen: 0, refused: 0, refusedRange: undefined }, timeline: [] },
};
type Name = keyof typeof RESULTS;

let pages: Readonly<Record<Name, string>>;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'sluice-report-'));

beforeAll(async () => {
  pages = await render(RESULTS);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await browser.close();
});

async function render(results: Readonly<Record<Name, ReplayResult>>): Promise<Record<Name, string>> {
  const program = await TestProgram.build(join(__dirname, 'render-program.ts'), 'esm');
  try {
    const input = JSON.stringify(Object.values(results));
    const output = execFileSync(process.execPath, [program.path], { input, encoding: 'utf8', maxBuffer: 10_000_000 });
    const drawn: string[] = JSON.parse(output);
    return Object.fromEntries(Object.keys(results).map((name, i) => [name, drawn[i]])) as Record<Name, string>;
  } finally {
    program.remove();
  }
}

/** Runs in the page. */
const CONTRASTS = readFileSync(join(__dirname, 'contrasts.in-page.js'), 'utf8')
  .replace(/^\/\/.*\n/, '')
  .replace(/;\n$/, '');

/** Runs in the page. */
const FILLS = `[...new Set([...document.querySelectorAll('svg.wide path')].map((path) => getComputedStyle(path).fill))]`;

type Contrasts = Record<'texts' | 'graphics', { readonly count: number; readonly least: number }>;

/** How a page is looked at. */
interface View {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

/** Opens the page, and reports all that it does beside showing itself. */
async function open(name: Name, { colorScheme, width }: View, look: (opened: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const opened = await context.newPage();
  const strange: string[] = [];
  opened.on('console', (message) => strange.push(`console: ${message.text()}`));
  opened.on('pageerror', (error) => strange.push(`error: ${error.message}`));
  opened.on('request', (request) => strange.push(`request: ${request.url()}`));
  opened.on('dialog', (dialog) => strange.push(`dialog: ${dialog.message()}`));
  try {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, pages[name]);
    await opened.goto(pathToFileURL(file).href);
    await look(opened);
    expect(strange).toEqual([`request: ${pathToFileURL(file)}`]);
  } finally {
    await context.close();
  }
}

/** Every number in a value, by its path. */
function numbersOf(value: unknown, path = ''): [string, number][] {
  if (typeof value === 'number') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersOf(inner, path === '' ? key : `${path}.${key}`));
}

/** Every number and time that the page shows, with the path that it names. */
function shown(opened: Page): Promise<{ path: string; value: string; text: string }[]> {
  return opened.$$eval('data, time', (elements) =>
    elements.map((element) => ({
      path: element.getAttribute('data-of') ?? '',
      value: element.getAttribute('value') ?? element.getAttribute('datetime') ?? '',
      text: element.textContent ?? '',
    })),
  );
}

const isTime = (path: string): boolean => path.endsWith('Ms') && path !== 'resolutionMs';

/** What has to stand where the page names this path: `part/whole` for a share. */
function expectedAt(path: string, numbers: ReadonlyMap<string, number>): { value: string; text: string } {
  const [part, whole] = path.split('/').map((own) => numbers.get(own) as number);
  if (part === undefined) throw new Error(`The JSON has no ${path}`);
  if (whole !== undefined) return { value: String(whole === 0 ? 0 : part / whole), text: share(part, whole) };
  if (isTime(path)) return { value: new Date(part).toISOString(), text: minuteText(part) };
  return { value: String(part), text: count(part) };
}

describe('The report', () => {
  it.each(['usual', 'example'] as const)('has every number of the JSON, and no other: %s', async (name) => {
    const numbers = new Map(numbersOf(RESULTS[name]).filter(([path]) => !NOT_SHOWN.has(path)));
    await open(name, { colorScheme: 'light', width: 1000 }, async (opened) => {
      const found = await shown(opened);
      expect(found).toEqual(found.map(({ path }) => ({ path, ...expectedAt(path, numbers) })));
      const paths = new Set(found.map(({ path }) => path));
      expect([...numbers.keys()].filter((path) => !paths.has(path))).toEqual([]);
    });
  });

  it.each([
    ['light', { colorScheme: 'light', width: 1000 }],
    ['dark', { colorScheme: 'dark', width: 1000 }],
    ['narrow', { colorScheme: 'light', width: 400 }],
    ['narrow and dark', { colorScheme: 'dark', width: 400 }],
  ] as const)('fits the window and has enough contrast when it is %s', async (_, view) => {
    await open('usual', view, async (opened) => {
      expect(await opened.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      expect(
        await opened.$$eval('svg', (all) => all.filter((one) => one.getBoundingClientRect().width > 0).length),
      ).toBe(3);
      const { texts, graphics } = await opened.evaluate<Contrasts>(`(${CONTRASTS})()`);
      expect(texts.count).toBeGreaterThan(100);
      expect(texts.least).toBeGreaterThanOrEqual(4.5);
      expect(graphics.least).toBeGreaterThanOrEqual(3);
    });
  });

  it.each(['usual', 'example'] as const)(
    'shows every column of its tables in a window of 400 pixels: %s',
    async (name) => {
      await open(name, { colorScheme: 'light', width: 400 }, async (opened) => {
        const hidden = await opened.$$eval('.scroll', (all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute('aria-label')),
        );
        expect(hidden).toEqual([]);
      });
    },
  );

  it('follows the scheme of the reader in its charts', async () => {
    const fills: Record<string, unknown> = {};
    for (const colorScheme of ['light', 'dark'] as const)
      await open('usual', { colorScheme, width: 1000 }, async (opened) => {
        fills[colorScheme] = await opened.evaluate(FILLS);
      });
    expect(fills.light).not.toEqual(fills.dark);
    expect(fills.light).toContain('rgb(207, 34, 46)');
    expect(fills.dark).toContain('rgb(255, 123, 114)');
  });

  it('can be read without its pictures, and by a keyboard', async () => {
    await open('usual', { colorScheme: 'light', width: 1000 }, async (opened) => {
      expect(await opened.title()).toBe('What sluice.yaml would refuse, 2026-11-20 08:00');
      expect(
        await opened.$$eval('svg', (all) => all.every((one) => (one.getAttribute('aria-label') ?? '') !== '')),
      ).toBe(true);
      expect(await opened.$$eval('h1', (all) => all.length)).toBe(1);
      expect(await opened.$$eval('table', (all) => all.every((one) => one.caption && one.tHead))).toBe(true);
      // Each chart stands beside a table with its numbers.
      const figures = await opened.$$eval('figure', (all) =>
        all.map((one) => one.querySelectorAll('details td data').length),
      );
      expect(figures).toHaveLength(3);
      expect(Math.min(...figures)).toBeGreaterThan(3);
      await opened.focus('summary');
      await opened.keyboard.press('Enter');
      expect(await opened.$eval('details', (details) => details.open)).toBe(true);
      const ids = await opened.$$eval('[id]', (all) => all.map((one) => one.id));
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  it('shows hostile keys as the text that they are', async () => {
    await open('hostile', { colorScheme: 'light', width: 1000 }, async (opened) => {
      expect(await opened.$$eval('script, a, img, iframe, link', (all) => all.length)).toBe(0);
      const text = await opened.textContent('main');
      expect(text).toContain(`</code>${HOSTILE}`);
      // A sign that turns the direction of the text is shown by its number.
      expect(text).toContain('pay\\u{202e}\\u{200b}pal');
      expect(text).toContain('\\u{16}\\u{3}\\u{1}\\u{0}');
    });
  });

  it('is one file of less than 500 kB that loads nothing', () => {
    const page = pages.usual;
    expect(Buffer.byteLength(page)).toBeLessThan(500_000);
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:/);
    expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;`);
  });

  it('is dark on light on paper, also for a dark screen', async () => {
    await open('usual', { colorScheme: 'dark', width: 1000 }, async (opened) => {
      await opened.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await opened.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
      expect((await opened.pdf({ format: 'A4' })).byteLength).toBeGreaterThan(10_000);
    });
  });

  it.each([
    ['a log without refusals', 'quiet'],
    ['a log without requests', 'empty'],
  ] as const)('shows %s', async (_, name) => {
    await open(name, { colorScheme: 'light', width: 1000 }, async (opened) => {
      expect(await opened.textContent('header')).toContain(`No request of ${RESULTS[name].requests.seen}`);
      expect(await opened.textContent('body')).not.toMatch(/NaN|undefined|Infinity/);
    });
  });
});

/** The texts in a PNG, by their names. */
function textsOf(png: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const [name = '', text = ''] = png.toString('latin1', at + 8, at + 8 + length).split('\0');
    if (png.toString('latin1', at + 4, at + 8) === 'tEXt') texts.set(name, text);
    at += length + 12;
  }
  return texts;
}

describe('The pictures of the report', () => {
  it.each(['light', 'dark'])('show the page that the program makes today: %s', (name) => {
    const drawn = textsOf(readFileSync(join(CLI, `docs/pictures/report-${name}.png`))).get('Page');
    if (drawn === createHash('sha256').update(pages.example).digest('hex')) return;
    throw new Error(`report-${name}.png is stale: run npm run pictures, and look whether it changed as you meant`);
  });
});

function quiet(): ReplayResult {
  const result = sampleResult();
  const [first, ...others] = result.policies;
  if (!first || others.length === 0) throw new Error('the sample has two policies');
  return {
    ...result,
    against: undefined,
    changes: undefined,
    requests: { seen: 12, refused: 0, refusedRange: undefined },
    refusedAnswers: { well: 0, withError: 0 },
    timeline: result.timeline.slice(0, 1),
    topKeys: [],
    sweeps: [],
    policies: [{ ...first, limits: [], requests: { seen: 0, refused: 0, refusedRange: undefined } }],
  };
}
