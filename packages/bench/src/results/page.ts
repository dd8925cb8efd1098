import { figure, markdown } from '../table.js';
import { AIMS } from './aims/index.js';
import { aimTable } from './aims/table.js';
import type { KeptResults, KeptSection } from './kept-results.js';
import { peerTable } from './peers.js';

const INTRODUCTION = `How fast is Sluice beside other rate limiters for Node.js, and did it reach what it aims at? This page answers first with two
summaries, and then has all tables. \`npm run bench -- --keep\` writes it. [The method](../docs/method.md) says how everything is measured, and what the
other libraries do less or more. Figures are medians of many rounds; brackets in the tables are the interval that contains the true median
with a certainty of 95 %. Trust ratios of one table rather than times, which are those of the machine.`;

const PEERS = `A cell has a peer's figure. In brackets is how many times as much as Sluice's default, the sliding window, the peer needs: above 1, Sluice is
ahead. **Bold**: the peer is ahead by more than a tenth; with one caller over Redis and over HTTP, the intervals of both do not overlap, either. The peers count fixed windows, but for
@nestjs/throttler, which keeps the time of every request. Over Redis, the server has a core of its own, and rate-limit-redis is the store of express-rate-limit. Over HTTP, clients are known by address, and
figures are what limiting adds to the bare route.`;

/** Writes kept results as a page. */
export function pageOf(results: KeptResults): string {
  return [
    '# Results of the benchmarks',
    INTRODUCTION,
    ...peersOf(results),
    ...aimsOf(results),
    ...contentsOf(results),
    ...Object.entries(results).map(sectionOf),
  ]
    .join('\n\n')
    .concat('\n');
}

function contentsOf(results: KeptResults): string[] {
  const links = Object.values(results).map(({ title }) => `- [${title}](#${anchorOf(title)})`);
  return links.length > 0 ? ['## All tables', links.join('\n')] : [];
}

/** As GitHub makes it of a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

function peersOf(results: KeptResults): string[] {
  const table = peerTable(results);
  return table.rows.length > 0 ? ['## Beside other libraries', PEERS, markdown(table)] : [];
}

function aimsOf(results: KeptResults): string[] {
  const tables = [...AIMS].map(([caption, aims]) => aimTable(caption, aims, results));
  const kept = tables.filter(({ rows }) => rows.length > 0);
  return kept.length > 0 ? ['## Aims', '**Bold** figures miss the aim.', ...kept.map(markdown)] : [];
}

function sectionOf([name, { title, date, machine, loadAverage, scale, tables }]: [string, KeptSection]): string {
  const command = `npm run bench -- --keep${scale === 'short' ? '' : ` --scale ${scale}`} ${name}`;
  const run = `\`${command}\`, ${date.slice(0, 10)}, ${machine}, load average before ${figure(loadAverage)}.`;
  return [`## ${title}`, run, ...tables.map(markdown)].join('\n\n');
}
