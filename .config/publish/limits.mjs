// The limits of size and time that the page beside this file states, and what is measured without a program of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

async function browserKb() {
  const { outputFiles } = await build({
    stdin: { contents: BROWSER, resolveDir: join(STAGE, 'core') },
    bundle: true,
    minify: true,
    format: 'esm',
    external: ['node:*'],
    write: false,
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

/** Returns whether the staged packages are small enough, and prints how large they are. */
export async function checkSizes() {
  const kb = await browserKb();
  const isMet = kb <= LIMITS['browser-kb'];
  console.log(`browser-kb: ${kb.toFixed(1)}, at most ${LIMITS['browser-kb']}${isMet ? '' : ': FAILED'}`);
  return isMet;
}
