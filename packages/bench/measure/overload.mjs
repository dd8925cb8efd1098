// Measures real servers under overload beside their peers, keeps the results for the pictures, and checks what has to hold.
import { mkdirSync, writeFileSync } from 'node:fs';
import { aimsOf } from '../dist/overload/aims.js';
import { FULL, measureAll } from '../dist/overload/campaign.js';
import { pageOf } from '../dist/overload/page.js';
import { lineOf } from '../dist/overload/tables.js';

const RESULTS = new URL('../results/', import.meta.url);

const results = await measureAll(FULL, (result) => console.log(`overload: ${lineOf(result)}`));
mkdirSync(RESULTS, { recursive: true });
writeFileSync(new URL('overload.json', RESULTS), `${JSON.stringify(results, undefined, 2)}\n`);
writeFileSync(new URL('overload.md', RESULTS), pageOf(results));
for (const { text, isReached, isFarOff } of aimsOf(results)) {
  console.log(`overload: ${isReached ? 'reached' : 'missed'}: ${text}`);
  if (isFarOff) process.exitCode = 1;
}
