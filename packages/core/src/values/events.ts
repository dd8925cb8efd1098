import { channel } from 'node:diagnostics_channel';
import type { Decision } from './decision.js';

/** What Sluice says on the channels of `node:diagnostics_channel`, by channel name. Keys in it are hashed. */
export interface SluiceEvents {
  /** A request was decided (one that was only looked at is none). `keys`: hashed, one per limit. */
  'sluice:decision': { readonly decision: Decision; readonly keys: readonly string[]; readonly durationMs: number };
  /** The store failed; `source` is who answered instead (`'store'`: nobody had to). */
  'sluice:store-error': { readonly error: unknown; readonly policy: string; readonly source: Decision['source'] };
  /**
   * The circuit breaker before a remote store changed its state. `node`: which of several servers it is before, as the
   * store calls them (`'10.0.0.7:6379'`, or the name among the nodes of a ShardedStore); absent where there is one.
   */
  'sluice:breaker': { readonly state: 'open' | 'half-open' | 'closed'; readonly node?: string };
  /** A full memory store had to forget keys that were exhausted: how many. */
  'sluice:evicted': { readonly keys: number };
}

const CHANNELS = {
  'sluice:decision': channel('sluice:decision'),
  'sluice:store-error': channel('sluice:store-error'),
  'sluice:breaker': channel('sluice:breaker'),
  'sluice:evicted': channel('sluice:evicted'),
} as const;

/**
 * Listens to one kind of event; returns the way to stop.
 *
 * A listener that throws does not disturb the request: Node reports it as an uncaught exception, as for every channel.
 *
 * @example const stop = subscribe('sluice:store-error', ({ error }) => log.warn(error));
 */
export function subscribe<E extends keyof SluiceEvents>(
  event: E,
  listener: (message: SluiceEvents[E]) => void,
): () => void {
  const onMessage = (message: unknown): void => listener(message as SluiceEvents[E]);
  CHANNELS[event].subscribe(onMessage);
  return () => CHANNELS[event].unsubscribe(onMessage);
}

/** Whether anybody listens: ask before making a message. */
export function isHeard(event: keyof SluiceEvents): boolean {
  return CHANNELS[event].hasSubscribers;
}

/** Tells whoever listens to an event; over at once where nobody does. */
export function publish<E extends keyof SluiceEvents>(event: E, message: SluiceEvents[E]): void {
  CHANNELS[event].publish(message);
}
