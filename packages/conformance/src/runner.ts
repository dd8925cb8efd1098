import { SluiceError } from '@sluice/core';

/** The functions of a test framework that the suites need. Jest, Vitest, Mocha and node:test have them. */
export interface Runner {
  /** Groups the tests that the body registers. */
  describe(name: string, body: () => void): unknown;
  /** Registers a test. */
  readonly it: TestFunction;
}

/** Registers a test. */
export interface TestFunction {
  (name: string, body: () => Promise<void>): unknown;
  /** Registers a test that is reported, and not run. Without it, such a test has a title that says so, and does nothing. */
  skip?(name: string, body: () => Promise<void>): unknown;
}

/** Reports a test that is not run. */
export function skipTest({ it }: Runner, name: string): void {
  const body = async (): Promise<void> => {};
  if (it.skip) it.skip(name, body);
  else it(name, body);
}

/**
 * Returns the `describe` and `it` that are given. By default they are those that most test frameworks make global.
 *
 * @throws SluiceError `SLUICE_OPTION` if there are none
 */
export function runnerOf(given: Partial<Runner> = {}): Runner {
  const globalRunner = globalThis as Partial<Runner>;
  const { describe = globalRunner.describe, it = globalRunner.it } = given;
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw new SluiceError(
    'SLUICE_OPTION',
    "describe and it must be given where they are no globals: pass { describe, it } of your test framework, for example of 'node:test'",
    { path: 'runner' },
  );
}
