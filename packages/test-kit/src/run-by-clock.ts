import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { QueueClock } from './queue-clock.js';

/**
 * Moves the clock in steps until the work has ended. Between two steps, everything that can go on goes on.
 *
 * @param isQuiet - whether nothing is on its way that the clock does not know of; only then does time pass
 */
export async function runByClock<T>(
  clock: QueueClock,
  work: Promise<T>,
  stepMs = 10,
  isQuiet = (): boolean => true,
): Promise<T> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    await turnOfTheLoop();
    if (isQuiet() && clock.asleep() > 0) clock.advance(stepMs);
  }
  return over;
}
