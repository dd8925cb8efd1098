import type { Clock } from '@sluice/core';
import type { RedisClient } from './redis-client.js';
import { WakeUp } from './wake-up.js';

/** Where to listen, and how often to look in case a message was lost. */
interface RedisWatch {
  readonly channel: string;
  readonly pollMs: number;
  readonly clock: Clock;
}

/**
 * Yields after each message on a channel, and at each poll. A second connection listens. It reconnects by itself, and after that
 * something may have been missed, so it yields, too.
 */
export async function* redisChanges(
  client: RedisClient,
  { channel, pollMs, clock }: RedisWatch,
  signal: AbortSignal,
): AsyncIterable<void> {
  const wakeUp = new WakeUp();
  const subscriber = client.duplicate();
  // Reads say what is wrong with the server. An error without a listener would end the process.
  subscriber.on('error', () => {});
  subscriber.on('message', () => wakeUp.ring());
  subscriber.on('ready', () => wakeUp.ring());
  subscriber.subscribe(channel).then(
    () => wakeUp.ring(),
    () => {},
  );
  try {
    while (await wakeUp.next(clock, pollMs, signal)) yield;
  } finally {
    subscriber.disconnect();
  }
}
