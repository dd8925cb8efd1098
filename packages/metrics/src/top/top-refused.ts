import { type SluiceEvents, subscribe } from '@sluice/core';
import { checkFunction, checkOptions, checkWhole, hash } from '@sluice/core/values';
import { SpaceSaving } from './space-saving.js';

/** Options of `topRefused`. */
export interface TopRefusedOptions {
  /** How many keys are remembered: from 1 to 10,000. Default: 100. */
  size?: number;
  /**
   * Returns what is shown of a key. It gets the key as stores have it: text is its own encoding, so an address or the id of
   * a customer stays as it is. It is called when you ask for the list. Default: the SHA-256 of the key, as in events.
   */
  describeKey?: (key: string) => string;
}

/** One key that a limit has refused often. */
export interface RefusedKey {
  /** The name of the policy. */
  readonly policy: string;
  /** The name of the limit. */
  readonly limit: string;
  /** The hashed key, or what `describeKey` says. */
  readonly key: string;
  /** How often the limit has refused the key: at most so often. */
  readonly refusals: number;
  /** The true number is smaller by at most this. 0 means that `refusals` is exact. */
  readonly maxError: number;
}

/** The keys that are refused most often. */
export interface TopRefused {
  /** Refusals of all keys since the start, or since `reset`. A request that two limits refuse counts for both. */
  readonly total: number;
  /** Returns the keys with the most refusals, the largest number first. Default: all that are remembered. */
  list(count?: number): readonly RefusedKey[];
  /** Forgets everything. */
  reset(): void;
  /** Stops listening. What was heard stays. */
  stop(): void;
}

/**
 * Finds out whom your limits refuse most. A label of a metric cannot say that, because each client would be a series.
 * `size` keys are remembered, whatever clients send, and each number says how wrong it may be. Every key with more than
 * `total / size` refusals is in the list.
 *
 * It listens to every decision of this process, which costs a part of a microsecond each.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const top = topRefused({ describeKey: (key) => key });
 * for (const { key, limit, refusals, maxError } of top.list(10)) console.log(key, limit, refusals - maxError, refusals);
 */
export function topRefused(options: TopRefusedOptions = {}): TopRefused {
  checkOptions(options, ['size', 'describeKey']);
  const { size = 100, describeKey = hash } = options;
  checkFunction(describeKey, 'describeKey');
  const sketch = new SpaceSaving<Refused>(checkWhole(size, 'size', 1, 10_000));
  const stop = subscribe('sluice:decision', (message) => count(sketch, message));
  return {
    get total() {
      return sketch.total;
    },
    list: (most = size) =>
      sketch
        .estimates()
        .slice(0, checkWhole(most, 'count'))
        .map(({ value: { policy, limit, key }, count, maxError }) => ({
          policy,
          limit,
          key: describeKey(key),
          refusals: count,
          maxError,
        })),
    reset: () => sketch.clear(),
    stop,
  };
}

interface Refused {
  readonly policy: string;
  readonly limit: string;
  readonly key: string;
}

function count(sketch: SpaceSaving<Refused>, message: SluiceEvents['sluice:decision']): void {
  const { allowed, policy, verdicts } = message.decision;
  if (allowed) return;
  const keys = message.encodedKeys;
  verdicts.forEach(({ allowed, shadow, name: limit }, i) => {
    if (allowed || shadow) return;
    const key = keys[i];
    // A decision service has decided, and its keys are not known here.
    if (key === undefined) return;
    sketch.add(`${policy}\0${limit}\0${key}`, () => ({ policy, limit, key }));
  });
}
