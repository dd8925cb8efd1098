import { MemoryStore } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { limitedFetch } from '../src/index.js';
import { limitedServer } from './limited-server.js';
import { StoreView } from './store-view.js';

/** How a trial is played. */
export interface TrialOptions {
  readonly processes: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** How much longer than 40 ms a request may take to the server. */
  readonly jitterMs: number;
  readonly pace: 'burst' | 'even';
  readonly seed: number;
}

/** What has happened in a trial: times since its start. */
export interface TrialResult {
  readonly sentMs: readonly number[];
  readonly refusedMs: readonly number[];
}

/** The time of a request to the server at least, and of an answer. */
const WAY_MS = 40;

/** Plays processes with one key and one store that call a server with 100 requests per 10 seconds, by a clock of its own. */
export async function playTrial(trial: TrialOptions): Promise<TrialResult> {
  const { processes, seconds, perSecond, jitterMs, pace, seed } = trial;
  // The windows of the server begin at another time in each trial.
  const clock = new QueueClock(Date.UTC(2026, 0, 1) + seed * 137);
  const startMs = clock.now();
  const random = seededRandom(seed);
  const server = limitedServer(clock, { limit: 100, window: '10s' });
  const memory = new MemoryStore({ clock });
  const [sentMs, refusedMs]: [number[], number[]] = [[], []];
  const network: typeof fetch = async (input, init) => {
    sentMs.push(clock.now() - startMs);
    await clock.sleep(Math.round(WAY_MS + random() * jitterMs));
    const response = await server.fetch(input, init);
    if (response.status === 429) refusedMs.push(clock.now() - startMs);
    await clock.sleep(WAY_MS);
    return response;
  };
  const apis = Array.from({ length: processes }, () =>
    limitedFetch({ fetch: network, store: new StoreView(memory, clock), random, pace, maxWait: '20s' }),
  );
  const calls: Promise<unknown>[] = [];
  const demand = async (): Promise<void> => {
    while (clock.now() - startMs < seconds * 1000) {
      const api = apis[Math.floor(random() * processes)] as (typeof apis)[number];
      calls.push(api('http://server.example/').catch(() => {}));
      await clock.sleep(Math.round(-Math.log(1 - random()) * (1000 / perSecond)));
    }
  };
  await runByClock(
    clock,
    demand().then(() => Promise.all(calls)),
  );
  const isWithin = (ms: number): boolean => ms < seconds * 1000;
  return { sentMs: sentMs.filter(isWithin), refusedMs: refusedMs.filter(isWithin) };
}
