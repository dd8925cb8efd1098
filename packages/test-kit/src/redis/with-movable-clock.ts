import type { Redis } from 'ioredis';
import { MovableClock } from './movable-clock.js';
import { withRedis } from './with-redis.js';

/** Starts a server whose clock the tests of a file move, and gives them a client of it. All end with the file. */
export function withMovableClock(give: (client: Redis, clock: MovableClock) => void): void {
  let clock: MovableClock;
  withRedis(
    (client) => give(client, clock),
    () => {
      clock = new MovableClock();
      return clock;
    },
  );
}
