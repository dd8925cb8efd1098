import { setTimeout as pause, setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** Less than a test may take. So a wait in vain fails, and no wait outlives its test. */
const TIMEOUT_MS = 100_000;

/**
 * Resolves when it is so, looked at after every turn of the event loop.
 *
 * @param everyMs - how often it is looked at instead.
 */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs?: number): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Waited too long until ${isSo}`);
    await (everyMs === undefined ? turnOfTheLoop() : pause(everyMs));
  }
}
