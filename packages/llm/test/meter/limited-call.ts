import { concurrency, createLimiter, type Limiter, MemoryStore, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import type { LlmCall } from '../../src/call/llm-call.js';
import type { Format } from '../../src/dialects/format.js';
import type { CallOutcome, Settlement } from '../../src/meter/call-outcome.js';
import { createMeter } from '../../src/meter/create-meter.js';
import type { Meter } from '../../src/meter/meter.js';
import type { Counted } from '../../src/plan/dimension.js';
import { EXPECTED } from '../../src/plan/hold.js';
import { settlementOf } from '../../src/settle/settlement.js';
import { checkedWeights } from '../../src/settle/token-weights.js';

/** What each call holds before it is settled. */
export const HELD = 1000;

export const MAX_HOLD_MS = 900_000;

const COUNTS: Readonly<Record<string, Counted>> = { rpm: 'requests', tpm: 'tokens', parallel: 'slots' };

/** Settles as a plan of requests, tokens and slots does. */
export const settle: Settlement = settlementOf(
  { weights: checkedWeights(), costOf: () => 0, hold: EXPECTED },
  (limit) => COUNTS[limit],
);

export function callOf(format: Format, stream = true): LlmCall {
  return { model: 'gpt', format, stream, input: 12, inputCeiling: 100, choices: 1 };
}

/** A limiter of calls on a manual clock, and the ends of its calls. */
export class LimitedCalls {
  readonly clock = new ManualClock();
  readonly ends: CallOutcome[] = [];
  readonly errors: unknown[] = [];
  readonly #limiter: Limiter<string, false>;

  constructor() {
    this.#limiter = createLimiter({
      store: closedAfterTest(new MemoryStore({ clock: this.clock })),
      limits: [
        { name: 'rpm', limit: slidingWindow({ limit: 10_000, window: '1m' }) },
        { name: 'tpm', limit: slidingWindow({ limit: 10_000_000, window: '1m' }), cost: HELD },
        { name: 'parallel', limit: concurrency({ limit: 10_000, lease: '1h' }) },
      ],
    });
  }

  /** Admits a call, and follows it. */
  begin(call: LlmCall): Meter {
    return createMeter({
      reservation: this.#limiter.reserve('ann'),
      call,
      settle,
      clock: this.clock,
      maxHoldMs: MAX_HOLD_MS,
      onEnd: (outcome, error) => {
        this.ends.push(outcome);
        this.errors.push(error);
      },
    });
  }

  /** What the limits count now. */
  get used(): Readonly<Record<string, number>> {
    const { verdicts } = this.#limiter.peek('ann');
    return Object.fromEntries(verdicts.map(({ name, used }) => [name, used]));
  }
}
