import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, version } from 'esbuild';

const root = process.cwd().replace(/\/packages\/test-kit$/, '');

/** What of a commit the tests need: every store that keeps states in a server, and what is made over it. */
const ENTRY = {
  core: `
export { concurrency, createLimiter, fixedWindow, leakyBucket, slidingWindow, slidingWindowCounter, slidingWindowLog, tokenBucket } from '@sluice/core';
export { LeasedStore, SyncedStore } from '@sluice/core/distributed';
export { ManualClock } from './packages/core/src/testing/manual-clock.js';`,
  redis: "export { RedisStore } from '@sluice/redis';",
  postgres: "export { PostgresStore } from '@sluice/postgres';",
};

/** Of a commit whose main entry has the stores in front of others, too. In another order, its bundle would have other bytes. */
const CORE_IN_ONE_ENTRY = `
export { concurrency, createLimiter, fixedWindow, LeasedStore, leakyBucket, slidingWindow, slidingWindowCounter, slidingWindowLog, SyncedStore, tokenBucket } from '@sluice/core';
export { ManualClock } from './packages/core/src/testing/manual-clock.js';`;

/** Since the values of the core have an entry, its main entry has no such stores. */
function entryOf(folder: string): string {
  const { exports } = JSON.parse(readFileSync(join(folder, 'packages/core/package.json'), 'utf8'));
  const entry = './values' in exports ? ENTRY : { ...ENTRY, core: CORE_IN_ONE_ENTRY };
  const isThere = (name: string): boolean => existsSync(join(folder, 'packages', name));
  return Object.entries(entry)
    .flatMap(([name, lines]) => (isThere(name) ? [lines] : []))
    .join('\n');
}

/** Bundles the stores of a commit, from its sources alone, and returns the text of one module. */
export async function bundleOf(commit: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-version-'));
  try {
    const archive = execFileSync('git', ['archive', commit, 'packages'], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    install(folder);
    writeFileSync(join(folder, 'entry.ts'), entryOf(folder));
    const { outputFiles } = await build({
      absWorkingDir: folder,
      entryPoints: ['entry.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      conditions: ['@sluice/source'],
      minify: true,
      keepNames: true,
      legalComments: 'none',
      // It must not depend on what this checkout is set up for.
      tsconfigRaw: {},
      write: false,
      logLevel: 'error',
    });
    return `// The stores of commit ${commit}, made by esbuild ${version}: npm run versions -w @sluice/test-kit\n${outputFiles[0]?.text}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts the packages of the commit where its sources look for them, and the libraries of today beside them. */
function install(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@sluice'), { recursive: true });
  for (const name of readdirSync(join(folder, 'packages'))) {
    const manifest = join(folder, 'packages', name, 'package.json');
    if (!existsSync(manifest)) continue;
    symlinkSync(join(folder, 'packages', name), join(modules, JSON.parse(readFileSync(manifest, 'utf8')).name));
  }
  symlinkSync(join(root, 'node_modules/luxon'), join(modules, 'luxon'));
}
