// Reads a list of results as JSON from the standard input, and writes their pages. Vega is an ES module, which Jest does not load.
import { text } from 'node:stream/consumers';
import type { ReplayResult } from '../../src/replay/replay-result.js';
import { renderReport } from '../../src/report/render-report.js';

async function main(): Promise<void> {
  const results: ReplayResult[] = JSON.parse(await text(process.stdin));
  process.stdout.write(JSON.stringify(await Promise.all(results.map(renderReport))));
}

void main();
