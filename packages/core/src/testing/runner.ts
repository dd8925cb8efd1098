import { SluiceError } from '../values/error.js';

/** The functions of a test framework that the suites need. Jest, Vitest, Mocha and node:test have them. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/**
 * Returns the `describe` and `it` that most test frameworks make global.
 *
 * @throws SluiceError `SLUICE_OPTION` if there are none
 */
export function globalRunner(): Runner {
  const { describe, it } = globalThis as Partial<Runner>;
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw new SluiceError(
    'SLUICE_OPTION',
    "runner must be given where describe and it are no globals: pass { describe, it } of your test framework, for example of 'node:test'",
    { path: 'runner' },
  );
}
