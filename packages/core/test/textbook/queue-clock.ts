import { ManualClock } from '../../src/testing/manual-clock.js';

/** A manual clock that tells how many are asleep, and not only when they become so many. */
export class QueueClock extends ManualClock {
  asleep = 0;

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.asleep += 1;
    try {
      await super.sleep(ms, signal);
    } finally {
      this.asleep -= 1;
    }
  }
}
