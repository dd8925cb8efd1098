import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { helpOf, SITE } from '../../src/values/site.js';

type Core = typeof import('@sluice/core');

/** Loads the library as a new process does: what a process does once, it does again. */
function fresh(): Core {
  let core: Core | undefined;
  jest.isolateModules(() => {
    core = require('@sluice/core');
  });
  return core as Core;
}

let warnings: (readonly [message: unknown, options: unknown])[];

beforeEach(() => {
  warnings = [];
  jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
    warnings.push([message, options]);
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('A bare number as a window', () => {
  it.each<[what: string, make: (core: Core) => unknown, path: string]>([
    ['a policy', ({ createLimiter }) => createLimiter({ limit: 5, window: 60 }), 'window'],
    ['an item', ({ createLimiter }) => createLimiter({ limits: [{ limit: 5, window: 60 }] }), 'limits[0].window'],
    ['a tier', ({ createLimiter }) => createLimiter({ limit: () => 5, window: 60 }), 'window'],
    ['a sliding window', ({ slidingWindow }) => slidingWindow({ limit: 5, window: 60 }), 'window'],
    ['a log', ({ slidingWindowLog }) => slidingWindowLog({ limit: 5, window: 60 }), 'window'],
    ['a counter', ({ slidingWindowCounter }) => slidingWindowCounter({ limit: 5, window: 60 }), 'window'],
    ['a fixed window', ({ fixedWindow }) => fixedWindow({ limit: 5, window: 60 }), 'window'],
  ])('below 1,000 causes a warning: %s', (_, make, path) => {
    make(fresh());
    expect(warnings).toEqual([
      [
        `${path}: 60 is a window of 60 ms, because a bare number is in milliseconds. Write '60s' for seconds, or '60ms' if you mean it.`,
        {
          type: 'SluiceWarning',
          code: 'SLUICE_WINDOW_SHORT',
          detail: `See ${SITE ? helpOf('SLUICE_WINDOW_SHORT') : 'node_modules/@sluice/core/docs/errors.md'}`,
        },
      ],
    ]);
  });

  it('causes the warning once in a process', () => {
    const { slidingWindow } = fresh();
    for (const window of [60, 60, 999, 1]) slidingWindow({ limit: 5, window });
    expect(warnings).toHaveLength(1);
  });

  it.each([1000, 60_000, '60ms', '0.5s'] as const)('causes no warning: %p', (window) => {
    fresh().createLimiter({ limit: 5, window });
    expect(warnings).toEqual([]);
  });
});
