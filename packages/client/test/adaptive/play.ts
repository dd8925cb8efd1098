import { MemoryStore } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { type ConcurrencyOption, type LearningFetch, limitedFetch } from '../../src/index.js';
import { runByClock } from '../run-by-clock.js';
import { SimulatedServer, type SimulatedServerOptions } from './simulated-server.js';

export const ORIGIN = 'http://server.example';

const STEP_MS = 5;
const SAMPLED_MS = 50;

/** Clients that always have more to call than the server can do. */
export interface Play {
  readonly server: SimulatedServerOptions;
  /** The option `concurrency` of each client. */
  readonly clients: readonly ConcurrencyOption[];
  /** How many calls of each client are waiting or under way. */
  readonly callers?: number;
  readonly seconds: number;
  /** From when on it is measured. Default: half of the time. */
  readonly fromSecond?: number;
  /** What happens to the server, by the second. */
  readonly events?: ReadonlyMap<number, (server: SimulatedServer) => void>;
}

/** What was measured. */
export interface Played {
  /** Answers, as a part of what the workers can do. */
  readonly goodput: number;
  /** The part of the requests that the server refused. */
  readonly refused: number;
  /** The mean number of requests that the server had. */
  readonly inFlight: number;
  /** The answers of each client. */
  readonly shares: readonly number[];
  /** The answers of each second, from the start. */
  readonly perSecond: readonly number[];
  /** The limit of the first client at the end of each second. */
  readonly limits: readonly (number | undefined)[];
}

/** Plays clients and a server by a manual clock. */
export async function play({
  server: options,
  clients,
  callers = 60,
  seconds,
  events,
  ...rest
}: Play): Promise<Played> {
  const { fromSecond = seconds / 2 } = rest;
  const clock = new QueueClock();
  const server = new SimulatedServer(clock, options);
  const random = seededRandom(7);
  const apis = clients.map((concurrency) =>
    limitedFetch({ store: new MemoryStore({ clock }), fetch: server.fetch, random, maxWait: '1d', concurrency }),
  );
  const startMs = clock.now();
  const endMs = startMs + seconds * 1000;
  const shares = clients.map(() => 0);
  const perSecond = Array.from({ length: seconds }, () => 0);
  const limits: (number | undefined)[] = [];
  const fromMs = startMs + fromSecond * 1000;
  const caller = async (api: LearningFetch, client: number): Promise<void> => {
    while (clock.now() < endMs) {
      const response = await api(ORIGIN, { sluice: { maxWait: 1e7 } }).catch(() => undefined);
      await response?.text();
      const nowMs = clock.now();
      if (!response?.ok) await clock.sleep(STEP_MS);
      else if (nowMs < endMs) {
        perSecond[Math.floor((nowMs - startMs) / 1000)] = (perSecond[Math.floor((nowMs - startMs) / 1000)] ?? 0) + 1;
        if (nowMs >= fromMs) shares[client] = (shares[client] ?? 0) + 1;
      }
    }
  };
  let [samples, sum, refusedBefore] = [0, 0, 0];
  const observer = async (): Promise<void> => {
    while (clock.now() < endMs) {
      const second = (clock.now() - startMs) / 1000;
      events?.get(second)?.(server);
      if (Number.isInteger(second) && second > 0) limits.push(apis[0]?.concurrency(ORIGIN)?.limit);
      if (clock.now() === fromMs) refusedBefore = server.refused;
      if (clock.now() >= fromMs) [samples, sum] = [samples + 1, sum + server.inFlight];
      await clock.sleep(SAMPLED_MS);
    }
  };
  const calls = apis.flatMap((api, client) => Array.from({ length: callers }, () => caller(api, client)));
  await runByClock(clock, Promise.all([observer(), ...calls]), STEP_MS);
  const answered = shares.reduce((all, one) => all + one, 0);
  const refused = server.refused - refusedBefore;
  const possible = ((seconds - fromSecond) * 1000 * options.workers) / options.takesMs;
  return {
    goodput: answered / possible,
    refused: refused / (answered + refused),
    inFlight: sum / samples,
    shares,
    perSecond,
    limits,
  };
}
