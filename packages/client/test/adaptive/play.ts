import { MemoryStore } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { type ConcurrencyOption, type LearningFetch, limitedFetch } from '../../src/index.js';
import { SimulatedServer, type SimulatedServerOptions } from './simulated-server.js';

const ORIGIN = 'http://server.example';
const STEP_MS = 10;

/** Clients that always have more to call than the server can do. */
export interface Play {
  readonly server: SimulatedServerOptions;
  /** The option `concurrency` of each client. */
  readonly clients: readonly ConcurrencyOption[];
  /** How many calls of each client are waiting or under way. */
  readonly callers: number;
  readonly seconds: number;
  /** What happens to the server, at the beginning of a second. */
  readonly events?: ReadonlyMap<number, (server: SimulatedServer) => void>;
}

/** What was measured: in the second half of the time, if it is one number. */
export interface Played {
  /** The answers, as a part of what the workers can do. */
  readonly goodput: number;
  /** The part of the requests that the server refused. */
  readonly refused: number;
  /** The mean number of requests that the server had. */
  readonly inFlight: number;
  /** Jain's index: 1 if all clients get the same, 1/n if one gets everything. */
  readonly fairness: number;
  /** In each second, the answers as a part of what the workers can do. */
  readonly perSecond: readonly number[];
}

/** Plays clients and a server by a manual clock. The same play always has the same result. */
export async function play({ server: options, clients, callers, seconds, events }: Play): Promise<Played> {
  const clock = new QueueClock();
  const server = new SimulatedServer(clock, { ...options });
  const random = seededRandom(7);
  const apis = clients.map((concurrency) =>
    limitedFetch({
      store: new MemoryStore({ clock }),
      fetch: server.fetch,
      random,
      maxWait: '1h',
      concurrency,
      // A fixed one would get fewer refusals with it.
      breaker: false,
    }),
  );
  const endMs = clock.now() + seconds * 1000;
  const answers = clients.map(() => 0);
  const caller = async (api: LearningFetch, client: number): Promise<void> => {
    while (clock.now() < endMs) {
      const response = await api(ORIGIN).catch(() => undefined);
      if (response?.ok) answers[client] = (answers[client] as number) + 1;
      else await clock.sleep(STEP_MS);
    }
  };
  const perSecond: number[] = [];
  let half = { answers: [...answers], served: 0, refused: 0 };
  const observer = async (): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      events?.get(second)?.(server);
      if (second === seconds / 2) {
        half = { answers: [...answers], served: server.served, refused: server.refused };
        server.takeMeanInFlight();
      }
      const { served } = server;
      await clock.sleep(1000);
      perSecond.push(((server.served - served) * options.takesMs) / (1000 * options.workers));
    }
  };
  const calls = apis.flatMap((api, client) => Array.from({ length: callers }, () => caller(api, client)));
  const observed = observer().then(() => server.takeMeanInFlight());
  await runByClock(clock, Promise.all([observed, ...calls]), STEP_MS);
  const [served, refused] = [server.served - half.served, server.refused - half.refused];
  const shares = answers.map((all, i) => all - (half.answers[i] as number));
  const sum = shares.reduce((all, one) => all + one, 0);
  return {
    goodput: (served * options.takesMs) / ((seconds / 2) * 1000 * options.workers),
    refused: refused / (served + refused),
    inFlight: await observed,
    fairness: sum ** 2 / (shares.length * shares.reduce((all, one) => all + one * one, 0)),
    perSecond,
  };
}
