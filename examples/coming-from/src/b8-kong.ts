import { LeasedStore } from '@sluice/core/distributed';
import { type Duration, fixedWindow, rateLimit, type Store } from '@sluice/express';
import express, { type Express, type Request } from 'express';

interface Quota {
  readonly minute: number;
  readonly hour: number;
}

/** config.minute and config.hour of the plugin on the route. */
const EVERYBODY: Quota = { minute: 100, hour: 1000 };

/** The plugins on single consumers, which take precedence. */
const CONSUMERS: Readonly<Record<string, Quota>> = { 'premium-user': { minute: 500, hour: 10_000 } };

/** Whom the authentication before it found. */
const consumerOf = (req: Request): string | undefined => req.get('x-consumer');

/** As Kong counts: whole minutes and hours of the clock. Without align, and with a sliding window, it is stricter. */
const clockWindow = (limit: number, window: Duration) => fixedWindow({ limit, window, align: 'clock' });

export interface KongOptions {
  /**
   * config.policy: `local` is a `MemoryStore`, `redis` a `RedisStore`, and `redis` with a sync rate what `synced` makes.
   */
  store: Store;
  /** config.fault_tolerant: true lets requests pass while Redis is gone, false answers 503 (Kong: 500). */
  faultTolerant: boolean;
  /** Default: 100 a minute and 1,000 an hour. */
  everybody?: Quota;
}

/**
 * config.sync_rate: 0.5. What is counted here is brought to Redis so often, and yet the limit is never passed. As in Kong, that is so for
 * each key from its first request on; without `busyFrom`, only for those that are asked about often enough to gain.
 */
export const synced = (redis: Store<true>): LeasedStore =>
  new LeasedStore({ store: redis, lease: '500ms', busyFrom: 1 });

export function createApp({ store, faultTolerant, everybody = EVERYBODY }: KongOptions): Express {
  const quotaOf = (req: Request): Quota => CONSUMERS[consumerOf(req) ?? ''] ?? everybody;
  const app = express();
  app.use(
    rateLimit({
      name: 'rate-limiting',
      limits: [
        { name: 'minute', limit: (req) => clockWindow(quotaOf(req).minute, '1m') },
        { name: 'hour', limit: (req) => clockWindow(quotaOf(req).hour, '1h') },
      ],
      keyGenerator: consumerOf, // limit_by: consumer, and the address where there is none
      onStoreError: faultTolerant ? 'allow' : 'deny',
      message: { message: 'Rate limit exceeded' }, // error_message
      store,
    }),
  );
  app.get('/', (_req, res) => {
    res.send('proxied');
  });
  return app;
}
