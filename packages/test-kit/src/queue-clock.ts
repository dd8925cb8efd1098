import { ManualClock } from '@sluice/core/testing';

/** A manual clock that also says how many sleepers there are now. */
export class QueueClock extends ManualClock {
  readonly #sleeps = new Set<{ readonly ms: number }>();

  /** How many sleepers there are. With `atMostMs`, only those that sleep no longer than that. */
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
