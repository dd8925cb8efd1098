import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { QueueClock } from '@sluice/test-kit/queue-clock';

/** Moves the clock in steps until the work has ended. Between two steps, everything that can go on goes on. */
export async function runByClock<T>(clock: QueueClock, work: Promise<T>, stepMs = 10): Promise<T> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    await turnOfTheLoop();
    if (clock.asleep() > 0) clock.advance(stepMs);
  }
  return over;
}
