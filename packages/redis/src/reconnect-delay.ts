import { type RemoteStoreOptions, sharingOf, spreadOf } from '@sluice/core/store';
import { checkOptions } from '@sluice/core/values';

/** The options of `reconnectDelay`: what a RedisStore is told as well. */
export type ReconnectDelayOptions = Pick<RemoteStoreOptions, 'instances' | 'random'>;

/** Long enough that a server that is gone is not asked without a pause, and not noticed by users. */
const LEAST_MS = 50;

/** Half of the second within which a server that has come back decides again. */
const MOST_MS = 500;

/**
 * Returns a function that says how long a client waits before an attempt to connect again: 50 ms, and up to a millisecond more for each
 * further instance, at most 500 ms, at random. So a server that refuses connections is asked for at most 2,000 a second by up to 450
 * instances that have lost theirs in one moment, and by more of them some four times a second by each. It never gives up. Clients of ioredis take it as `retryStrategy`, those of node-redis as
 * `reconnectStrategy`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const client = new Redis('redis://localhost', { retryStrategy: reconnectDelay({ instances: 200 }) });
 * const store = new RedisStore({ client, instances: 200 });
 */
export function reconnectDelay(options: ReconnectDelayOptions = {}): () => number {
  checkOptions(options, ['instances', 'random']);
  const sharing = sharingOf(options);
  const mostMs = Math.min(MOST_MS, LEAST_MS - 1 + sharing.instances);
  const spread = spreadOf(sharing);
  return () => Math.round(mostMs - (mostMs - LEAST_MS) * spread());
}
