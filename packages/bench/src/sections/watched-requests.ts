import type { Scale } from '../scale.js';
import { spreadOf } from '../spread.js';
import type { Table } from '../table.js';
import type { WatchedRound } from '../tasks/watched-requests.js';
import { workFor } from '../work-for.js';
import { startWorker } from '../worker.js';

/** Many short rounds resolve more than few long ones. */
const SHORT_ROUNDS = 60;

/** As of a server with 67 requests a second, whose metrics Prometheus reads every 15 s. */
const REQUESTS_PER_READING = 1000;

/** What a reading does to the caches and to the collector is over after so many requests. */
const MOST_AFTER = 100;

/**
 * A collection for every few requests costs all alike. With the usual size, it would be a large sum that one of them gets.
 * Threads of the collector would wait for each other on a busy machine.
 */
export const WATCHED_FLAGS = ['--single-threaded-gc', '--min-semi-space-size=1', '--max-semi-space-size=1'];

/** Of its task. */
export const watchedOptions = ({ clients, requests }: Scale) => ({ clients, requests: Math.min(requests, MOST_AFTER) });

/**
 * A request of Express, allowed, while Prometheus reads the metrics of the same process. The code of a request is the same
 * with and without metrics, so all that they cost is the reading, and what it does to the requests after it.
 */
export async function watchedRequests(scale: Scale): Promise<Table> {
  const { rounds: count, warmUpMs } = scale;
  const options = watchedOptions(scale);
  const { requests } = options;
  const worker = await startWorker(scale, 'watched-requests', options, { flags: WATCHED_FLAGS });
  try {
    await workFor(warmUpMs.http, () => worker.ask('round'));
    const rounds: WatchedRound[] = [];
    for (let i = 0; i < SHORT_ROUNDS * count; i += 1) rounds.push(await worker.ask('round'));
    const median = (of: (round: WatchedRound) => number) => spreadOf(rounds.map(of));
    const after = (cost: number, round: WatchedRound) => ((cost - round.unread) * requests) / REQUESTS_PER_READING;
    const reading = (round: WatchedRound) => round.reading / REQUESTS_PER_READING;
    return {
      caption: 'A request of Express, allowed, in process without a connection',
      head: ['', 'µs of the processor each', 'more per request, with a reading after each 1,000'],
      rows: [
        ['nobody reads', median(({ unread }) => unread).median, ''],
        [
          'nobody reads, once more',
          median(({ unreadAgain }) => unreadAgain).median,
          median((round) => after(round.unreadAgain, round)),
        ],
        [
          `the ${requests} requests after a reading`,
          median(({ afterReading }) => afterReading).median,
          median((round) => after(round.afterReading, round)),
        ],
        ['the reading itself', median((round) => round.reading).median, median(reading)],
        ['both', '', median((round) => reading(round) + after(round.afterReading, round))],
      ],
    };
  } finally {
    await worker.end();
  }
}
