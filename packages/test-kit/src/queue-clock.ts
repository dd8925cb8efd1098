import { ManualClock } from '@sluice/core/testing';

/** A manual clock that tells how many are asleep, and not only when they become so many. */
export class QueueClock extends ManualClock {
  readonly #sleeps = new Set<{ readonly ms: number }>();

  /** How many sleep; with `atMostMs`, those who lay down for no longer. */
  asleep(atMostMs = Number.POSITIVE_INFINITY): number {
    return [...this.#sleeps].filter(({ ms }) => ms <= atMostMs).length;
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const sleep = { ms };
    this.#sleeps.add(sleep);
    try {
      await super.sleep(ms, signal);
    } finally {
      this.#sleeps.delete(sleep);
    }
  }
}
