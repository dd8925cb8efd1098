import { describe } from '@jest/globals';
import type { StartAdapter } from '@sluice/conformance';
import type { Start } from './app.js';
import { envoyScenarios } from './envoy.js';
import { fixedWindowScenarios } from './fixed-window.js';
import { leakyBucketScenarios } from './leaky-bucket.js';
import { slidingWindowCounterScenarios } from './sliding-window-counter.js';
import { slidingWindowLogScenarios } from './sliding-window-log.js';
import { throttlingModeScenarios } from './throttling-modes.js';
import { tokenBucketScenarios } from './token-bucket.js';
import { withApps } from './with-apps.js';

const CHAPTERS: Readonly<Record<string, (start: Start) => void>> = {
  'a token bucket': tokenBucketScenarios,
  'a leaky bucket': leakyBucketScenarios,
  'a fixed window': fixedWindowScenarios,
  'a sliding window log': slidingWindowLogScenarios,
  'a sliding window counter': slidingWindowCounterScenarios,
  'modes of throttling': throttlingModeScenarios,
  'the local rate limit of Envoy': envoyScenarios,
};

/**
 * Plays the scenarios that rate limiters are known for, over HTTP, in the same way on every host.
 *
 * @param name - of the host: the scenarios are listed under it.
 * @param start - serves an application, as for `adapterSuite`.
 * @example textbook('Express 5', startOn(express));
 */
export function textbook(name: string, start: StartAdapter): void {
  withApps(name, start, (startApp) => {
    for (const [chapter, scenarios] of Object.entries(CHAPTERS)) describe(chapter, () => scenarios(startApp));
  });
}
