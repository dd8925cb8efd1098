import type { Clock, Key } from '@sluice/core';
import { RetryBudget } from '../engine/retry-budget.js';
import type { AdaptiveConcurrency } from './adaptive-concurrency.js';
import { Breaker, type BreakerSettings } from './breaker.js';
import { FirstAnswer } from './first-answer.js';
import { LearnedPolicies } from './learned-policies.js';
import { type Blocking, SharedStop } from './shared-stop.js';

/** What the state of a key is made of. */
interface KeyStateParts {
  readonly limiter: Blocking;
  readonly clock: Clock;
  /** The retries as a part of the requests. */
  readonly budget: number;
  readonly breaker: BreakerSettings;
  readonly concurrency: AdaptiveConcurrency | undefined;
}

/** What this process knows about one key. Counts are in the store. */
export class KeyState {
  readonly key: Key;
  readonly policies = new LearnedPolicies();
  readonly budget: RetryBudget;
  readonly breaker: Breaker;
  readonly stop: SharedStop;
  firstAnswer: FirstAnswer;
  /** Undefined if the concurrency is not adaptive. */
  readonly concurrency: AdaptiveConcurrency | undefined;
  /** When this process saw that windows became longer. */
  lengthenedAtMs = Number.NEGATIVE_INFINITY;
  #steps = 0;
  readonly #clock: Clock;
  /** The end of the corrections that are under way, one after the other. */
  corrections: Promise<void> = Promise.resolve();

  constructor(key: Key, { limiter, clock, budget, breaker, concurrency }: KeyStateParts) {
    this.key = key;
    this.#clock = clock;
    this.budget = new RetryBudget(clock, budget);
    this.breaker = new Breaker(breaker, clock);
    this.stop = new SharedStop(limiter, clock, key);
    this.firstAnswer = new FirstAnswer(clock);
    this.concurrency = concurrency;
  }

  /** Forgets what the server has stated, so that one request goes first again. */
  forgetStated(): void {
    this.policies.clear();
    this.firstAnswer = new FirstAnswer(this.#clock);
    this.lengthenedAtMs = Number.NEGATIVE_INFINITY;
    this.#steps = 0;
  }

  /** By how many hundredths windows are longer, as of the last decision. */
  get steps(): number {
    return this.#steps;
  }

  set steps(steps: number) {
    if (steps > this.#steps) this.lengthenedAtMs = this.#clock.now();
    this.#steps = steps;
  }
}
