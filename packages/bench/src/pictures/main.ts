import { readFileSync, writeFileSync } from 'node:fs';
import type { Results } from '../overload/results.js';
import { RESULTS_FOLDER, readResults } from '../results/kept-results.js';
import { COMPARISONS } from './comparisons.js';
import { DIAGRAMS } from './diagrams/index.js';
import { drawComparison } from './draw-comparison.js';
import { drawGrowth } from './growth.js';
import { MODES } from './modes.js';
import { drawOverload, PICTURED } from './overload.js';
import { draw } from './picture.js';
import { simulate } from './simulate.js';

/**
 * `npm run pictures`: draws the pictures of the pages again. A test says when that is due. Those of overload show the last
 * run of `npm run proof -- overload`, and those beside other libraries what `npm run bench -- --keep` has kept.
 */
const PACKAGES = new URL('../../../', import.meta.url);
const FOLDER = new URL('core/docs/pictures/', PACKAGES);

for (const mode of MODES) writeFileSync(new URL(`${mode.name}.svg`, FOLDER), draw(mode, await simulate(mode)));

for (const { path, draw: drawn } of DIAGRAMS) writeFileSync(new URL(path, PACKAGES), drawn());

const results = JSON.parse(readFileSync(new URL('../../results/overload.json', import.meta.url), 'utf8')) as Results;
for (const handler of PICTURED)
  writeFileSync(new URL(`overload-${handler}.svg`, FOLDER), drawOverload(handler, results));

const kept = readResults();
for (const comparison of COMPARISONS) {
  const drawn = drawComparison(comparison, kept);
  if (drawn !== undefined) writeFileSync(new URL(`${comparison.name}.svg`, RESULTS_FOLDER), drawn);
}

const growth = drawGrowth(kept);
if (growth !== undefined) writeFileSync(new URL('growth.svg', RESULTS_FOLDER), growth);
