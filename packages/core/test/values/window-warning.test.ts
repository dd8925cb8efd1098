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

describe('A bare number as a length of time', () => {
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

  it.each<[what: string, make: (core: Core) => unknown, path: string]>([
    [
      'a block of a limit',
      ({ slidingWindow }) => slidingWindow({ limit: 5, window: '1m', blockDuration: 60 }),
      'blockDuration',
    ],
    [
      'the first of growing blocks',
      ({ slidingWindow }) => slidingWindow({ limit: 5, window: '1m', blockDuration: { first: 60, max: '1h' } }),
      'blockDuration.first',
    ],
    ['a block by hand', ({ createLimiter }) => createLimiter({ limit: 5, window: '1m' }).block('eve', 60), 'time'],
  ])('below 1,000 causes a warning as the length of a block: %s', (_, make, path) => {
    make(fresh());
    expect(warnings.map(([message]) => message)).toEqual([
      `${path}: 60 is a block of 60 ms, because a bare number is in milliseconds. Write '60s' for seconds, or '60ms' if you mean it.`,
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
