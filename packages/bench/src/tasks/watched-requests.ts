import { rateLimit } from '@sluice/express';
import { prometheusMetrics } from '@sluice/metrics';
import express, { type Request } from 'express';
import { Registry } from 'prom-client';
import { CLIENT_FIELD, GREETING } from '../contenders/http/serve.js';
import { inProcessRequests } from '../in-process-requests.js';
import { processorMs } from '../processor-time.js';
import { randomOf } from '../random.js';

interface WatchedRequestsOptions {
  readonly clients: number;
  /** Of each kind in a round. */
  readonly requests: number;
}

/** Microseconds of processor time. */
export interface WatchedRound {
  /** Per request. */
  readonly unread: number;
  readonly unreadAgain: number;
  /** Per request, of those right after the metrics were read. */
  readonly afterReading: number;
  /** To read the metrics once. */
  readonly reading: number;
}

/** An application of Express whose metrics Prometheus can read. Its requests come without connections. */
export function start({ clients: count, requests }: WatchedRequestsOptions) {
  const app = express();
  app.use(
    rateLimit({
      limit: 1_000_000_000,
      window: '1h',
      keyGenerator: ({ headers }: Request) => headers[CLIENT_FIELD] as string,
    }),
  );
  app.get('/', (_req, res) => void res.json(GREETING));
  const registry = new Registry();
  prometheusMetrics({ registry });
  const request = inProcessRequests(app);
  const clients = Array.from({ length: count }, (_, i) => `client-${i}`);
  let next = 0;
  const random = randomOf(7);

  const measuredUs = async (work: () => unknown): Promise<number> => {
    const beforeMs = processorMs();
    await work();
    return (processorMs() - beforeMs) * 1000;
  };
  const answerAll = (): void => {
    for (let i = 0; i < requests; i += 1) {
      request(clients[next] as string);
      next = (next + 1) % clients.length;
    }
  };
  const requestUs = async (): Promise<number> => (await measuredUs(answerAll)) / requests;

  return {
    async round(): Promise<WatchedRound> {
      const round = { unread: 0, unreadAgain: 0, afterReading: 0, reading: 0 };
      const kinds = [
        async () => {
          round.unread = await requestUs();
        },
        async () => {
          round.unreadAgain = await requestUs();
        },
        async () => {
          round.reading = await measuredUs(() => registry.metrics());
          round.afterReading = await requestUs();
        },
      ];
      // Who comes first changes by chance, so that nothing periodic always meets the same.
      const first = Math.floor(random() * kinds.length);
      for (let i = 0; i < kinds.length; i += 1) await kinds[(first + i) % kinds.length]?.();
      return round;
    },
    end(): void {},
  };
}
