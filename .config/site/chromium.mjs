// Finds Chromium as the tests of the repository do, and starts it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './repository.mjs';

/** What the repository has for its tests, and the site needs no second one of. */
const require = createRequire(`${ROOT}package.json`);
const { chromium } = require('playwright-core');
const { buildSync } = require('esbuild');

/** Where Chromium is. A module in TypeScript knows how to install it on a machine that has none. */
function chromiumPath() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chromium-'));
  try {
    const outfile = join(folder, 'program.cjs');
    const entryPoints = [`${ROOT}packages/test-kit/src/debian/debian-program.ts`];
    buildSync({ entryPoints, bundle: true, platform: 'node', outfile, logLevel: 'error' });
    return require(outfile).debianProgram('chromium-headless-shell');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts Chromium. The caller closes it. */
export function launchChromium() {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
}
