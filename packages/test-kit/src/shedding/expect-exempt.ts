import { expect } from '@jest/globals';
import { tripleLoad } from './triple-load.js';

/** The path whose requests an application under `expectExempt` must skip. */
export const SKIPPED = '/webhook';

/** Tests an application at three times its load: requests are refused, but no health check, and nothing that is skipped. */
export async function expectExempt(url: string): Promise<void> {
  const counts = await tripleLoad(url, ['/', '/', '/', '/livez', '/', '/', '/', SKIPPED]);
  const ends = Object.keys(counts).sort();
  expect(ends).toEqual(['/ 200', '/ 503', '/livez 200', `${SKIPPED} 200`]);
}
