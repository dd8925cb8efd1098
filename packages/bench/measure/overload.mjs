// Measures real servers under overload beside their peers, keeps the results for the pictures, and checks what has to hold.
// It goes on where it was stopped: by hand, or by --minutes. Without its file of pieces, it begins anew.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { aimsOf } from '../dist/overload/aims.js';
import { Campaign, FULL, resultsOf } from '../dist/overload/campaign.js';
import { pageOf } from '../dist/overload/page.js';
import { lineOf } from '../dist/overload/tables.js';

const RESULTS = new URL('../results/', import.meta.url);
const PIECES = new URL('../overload-pieces.json', import.meta.url);

const { values } = parseArgs({ options: { minutes: { type: 'string', default: 'Infinity' } } });
const endMs = performance.now() + 60_000 * Number(values.minutes);

const pieces = existsSync(PIECES) ? JSON.parse(readFileSync(PIECES, 'utf8')) : {};
const campaign = await Campaign.open(FULL);
const missing = campaign.pieces.filter(({ name }) => !(name in pieces));
try {
  while (missing.length > 0 && performance.now() < endMs) {
    const { name, measure } = missing.shift();
    pieces[name] = await measure();
    writeFileSync(PIECES, JSON.stringify(pieces));
    for (const result of pieces[name]) console.log(`overload: ${lineOf(result)}`);
  }
} finally {
  await campaign.close();
}

if (missing.length > 0) {
  console.log(`overload: ${missing.length} of ${campaign.pieces.length} pieces are left for the next time`);
} else {
  const results = resultsOf(pieces);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL('overload.json', RESULTS), `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(new URL('overload.md', RESULTS), pageOf(results));
  rmSync(PIECES);
  for (const { text, isReached, isFarOff } of aimsOf(results)) {
    console.log(`overload: ${isReached ? 'reached' : 'missed'}: ${text}`);
    if (isFarOff) process.exitCode = 1;
  }
}
