/**
 * `@sluice/core`: limits, the limiter, the memory store, and the contract for other stores. It depends on no framework.
 *
 * @example
 * const limiter = createLimiter({ limit: 100, window: '1m' });
 * const { allowed, retryAfterMs } = limiter.consume('ann');
 * @module
 */

import { enableLines } from '@sluice/core/src/limiter/line/enable-lines';
import { suggestionForLiveObject } from '@sluice/core/src/values/live-objects';
import { suggestEverywhere } from '@sluice/core/src/values/option-suggestions';
import { OPTIONS_OF_OTHERS } from '@sluice/core/src/values/options-of-others';

export * from './browser.js';

enableLines();
suggestEverywhere(OPTIONS_OF_OTHERS, suggestionForLiveObject);
