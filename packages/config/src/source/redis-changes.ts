import type { Clock } from '@sluice/core';
import type { RedisConnection } from './redis-client.js';
import { WakeUp } from './wake-up.js';

/** Where to listen, and how often to look in case a message was lost. */
interface RedisWatch {
  readonly channel: string;
  readonly pollMs: number;
  readonly clock: Clock;
}

/** Yields after each message on a channel, whenever one may have been missed, and at each poll. */
export async function* redisChanges(
  connection: RedisConnection,
  { channel, pollMs, clock }: RedisWatch,
  signal: AbortSignal,
): AsyncIterable<void> {
  const wakeUp = new WakeUp();
  const stopListening = connection.listen(channel, () => wakeUp.ring());
  try {
    while (await wakeUp.next(clock, pollMs, signal)) yield;
  } finally {
    stopListening();
  }
}
