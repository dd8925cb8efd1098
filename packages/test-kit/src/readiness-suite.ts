import { afterEach, describe, expect, it } from '@jest/globals';
import type { Duration } from '@sluice/core';

/** A store whose server gives no answer. */
interface Unanswered {
  readonly store: {
    ready(options?: { timeout?: Duration }): Promise<void>;
    close(): Promise<void>;
  };
  /** Ends the calls that wait for the server, so that the store is closed soon. */
  release(): unknown;
}

/**
 * Tests how long `ready()` of a store waits.
 *
 * @param open - returns a store whose decisions may take some seconds
 */
export function readinessSuite(name: string, open: () => Unanswered | Promise<Unanswered>): void {
  const ends: (() => unknown)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  describe(`ready() of ${name} that has no answer`, () => {
    it('is late after its own time, also where a decision may take longer', async () => {
      const { store, release } = await open();
      ends.push(() => store.close(), release);
      const startMs = performance.now();
      await expect(store.ready({ timeout: 50 })).rejects.toMatchObject({
        code: 'SLUICE_STORE',
        storeFailure: 'timeout',
      });
      expect(performance.now() - startMs).toBeLessThan(3000);
    });

    it('ends as soon as the store is closed', async () => {
      const { store, release } = await open();
      const ready = expect(store.ready({ timeout: '1m' })).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
      await new Promise(setImmediate);
      const closed = store.close();
      ends.push(() => closed, release);
      await ready;
    });
  });
}
