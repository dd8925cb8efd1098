import type * as core from '@sluice/core';
import type * as distributed from '@sluice/core/distributed';
import type * as store from '@sluice/core/store';
import type * as llm from '@sluice/llm';
import type * as redis from '@sluice/redis';

/** What one evaluation of a bundle exports: the packages, each with a state of its own. */
export interface Exports {
  readonly core: typeof core;
  readonly distributed: typeof distributed;
  readonly store: typeof store;
  readonly redis: typeof redis;
  readonly llm: typeof llm;
}
