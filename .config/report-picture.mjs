// A part of `npm run pictures`: the pictures of a report for the README, light and dark, as Chromium shows them. Each has
// the hash of its page, which is the same on every computer, so that a test can tell whether it is stale.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { chromium } from 'playwright-core';
import { renderReport } from '../packages/cli/dist/esm/report/render-report.js';

const CLI = new URL('../packages/cli/', import.meta.url);

/** The part of the page with the summary and the chart over time. */
const SIZE = { width: 900, height: 905 };

const result = JSON.parse(readFileSync(new URL('test/replay/example/result.json', CLI), 'utf8'));
const page = await renderReport(result);
const folder = mkdtempSync(join(tmpdir(), 'sluice-picture-'));
const file = join(folder, 'report.html');
writeFileSync(file, page);
const browser = await chromium.launch({ executablePath: find('chromium-headless-shell'), args: ['--no-sandbox'] });
try {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const view = await browser.newPage({ colorScheme, viewport: SIZE });
    await view.goto(pathToFileURL(file).href);
    const picture = withText(await view.screenshot(), `Page\0${createHash('sha256').update(page).digest('hex')}`);
    writeFileSync(new URL(`docs/pictures/report-${colorScheme}.png`, CLI), picture);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** @param {string} program */
function find(program) {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

/**
 * Puts a text into a PNG, in front of its last chunk, which has 12 bytes.
 *
 * @param {Buffer} png
 * @param {string} text
 */
function withText(png, text) {
  const data = Buffer.from(`tEXt${text}`, 'latin1');
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length - 4);
  checksum.writeUInt32BE(crc32(data));
  return Buffer.concat([png.subarray(0, -12), length, data, checksum, png.subarray(-12)]);
}
