import { type Duration, durationMs } from '../../values/duration.js';
import { optionError, SluiceError } from '../../values/error.js';
import { encodeKey, type Key } from '../../values/key.js';
import { checkFunction, checkOneOf, checkOptions, checkSignal, checkWhole } from '../../values/option-checks.js';
import type { Instead } from '../../values/option-suggestions.js';
import { engineOf, type Limiter } from '../limiter.js';
import type { Reservation } from '../reservation.js';
import { lineOf } from './line-of.js';
import { RunningWork } from './running-work.js';

/** Options of `createLine`. */
export interface LineOptions<Subject> {
  /** The limiter that admits the work: made by `createLimiter`. */
  limiter: Limiter<Subject>;
  /**
   * How many may wait: a whole number of at least 1. One more is refused. Default: 10,000. Work that a leaky bucket has
   * admitted is bounded by the capacity of the bucket.
   */
  size?: number;
  /** How many may wait for one key: a whole number of at least 1. Default: as many as for all keys. */
  perKey?: number;
  /**
   * Who is next. `'fair'` (default): keys take turns, and for each key the first comes first. `'fifo'`: the first of all.
   * `'newest'`: the last of all; if the line is full, the oldest is refused in place of the newcomer. In any order,
   * nobody waits for a limit that counts only other keys.
   */
  order?: 'fair' | 'fifo' | 'newest';
  /** The longest wait: 0 to 100 years. Work whose turn would come later is refused. Default: no maximum. */
  maxWait?: Duration;
  /**
   * With the order `'fair'`: how much more than others a key gets in its turn, a whole number from 1 to 1000. The last
   * subject of a key decides. Default: 1.
   */
  weight?: (subject: Subject) => number;
  /**
   * Returns the key whose turn it is. Default: the subject itself if it is text or a number; for other subjects, the
   * keys that the limiter counts.
   */
  keyGenerator?: (subject: Subject) => Key;
}

/** Options of `run`. */
export interface RunOptions {
  /** Ends the wait, and aborts the signal of work that runs. */
  signal?: AbortSignal;
  /** Replaces the `maxWait` of the line. */
  maxWait?: Duration;
  /** Replaces the cost of the policy: a safe integer of at least 0. */
  cost?: number;
}

/** Runs work when the limits allow it. */
export interface Line<Subject> {
  /**
   * Waits until the limits allow the work, runs it, and resolves with its result. Slots are held until the work has ended,
   * and then freed. Units stay spent, also if the work fails: `reservation.settle(actual)` corrects them, and
   * `reservation.cancel()` gives them back.
   *
   * @param work - gets a signal that aborts when `options.signal` does, or when the line is closed
   * @throws SluiceError `SLUICE_REFUSED`, with `retryAfterMs`, if the line is full, if its turn would come after `maxWait`,
   * or if the limits can never allow it; `SLUICE_CLOSED` if the line or its store is closed; `SLUICE_OPTION`, `SLUICE_KEY`,
   * `SLUICE_COST`. The work is not run then. If a signal aborts the wait, it rejects with the signal's reason.
   */
  run<T>(
    subject: Subject,
    work: (signal: AbortSignal, reservation: Reservation<boolean>) => T | PromiseLike<T>,
    options?: RunOptions,
  ): Promise<T>;
  /** How much work waits. Work that runs is not included. */
  readonly length: number;
  /** How long the oldest of it has waited, in milliseconds; 0 if none waits. */
  readonly oldestMs: number;
  /** Resolves when no work waits or runs. Call it before `close` to let everything finish. */
  drain(): Promise<void>;
  /**
   * Ends the line. Work that waits, and further work, is refused with `SLUICE_CLOSED`. The signal of work that runs aborts.
   */
  close(): void;
}

const DEFAULT_SIZE = 10_000;
const LARGEST_WEIGHT = 1000;

/**
 * Makes a line of work that waits for a limiter. Use it for jobs and calls to an upstream that have to respect its
 * limits. To wait without a bound and without fairness between keys, `limiter.wait` is enough.
 *
 * Several processes with a common store respect the limits together. Each has a line of its own, so the order holds within
 * a process.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const upstream = createLimiter({ limit: 10, window: '1s', keyGenerator: everyone() });
 * const line = createLine({ limiter: upstream, size: 1000, maxWait: '30s' });
 * const answer = await line.run('tenant-1', (signal) => fetch('https://example.com', { signal }));
 */
export function createLine<Subject>(options: LineOptions<Subject>): Line<Subject> {
  const { engine, size, perKey, order, weight, keyGenerator, longestMs } = rulesOf(options);
  const line = lineOf(engine, { order, sleepsDelays: true, waitsForStore: true });
  const running = new RunningWork();
  /** How much work waits or runs. */
  let open = 0;
  const drained: (() => void)[] = [];

  const makeRoom = (waitMs: number, flow?: Parameters<typeof line.endOldest>[1]): void => {
    const full = refusal(flow ? `${perKey} already wait for this key` : `${size} already wait in the line`, waitMs);
    if (order !== 'newest' || !line.endOldest(full, flow)) throw full;
  };

  const admitted = async (subject: Subject, { signal, cost, maxWait }: RunOptions): Promise<Reservation<boolean>> => {
    const entered = await line.enter({
      args: [subject],
      cost,
      signal,
      maxWaitMs: maxWait === undefined ? longestMs : waitOf(maxWait),
      key: keyOf(subject, keyGenerator),
      weight: weight === undefined ? 1 : checkWhole(weight(subject), 'weight()', 1, LARGEST_WEIGHT),
      mayWait: (waitMs, flow) => {
        if (flow.listed >= perKey) makeRoom(waitMs, flow);
        if (line.length >= size) makeRoom(waitMs);
        return undefined;
      },
    });
    const reservation = entered ?? engine.current.empty();
    if (reservation.allowed) return reservation;
    const { retryAfterMs } = reservation;
    const why = retryAfterMs === 'never' ? 'the limits never allow it' : 'its turn would come too late';
    throw refusal(why, retryAfterMs);
  };

  return {
    async run(subject, work, options = {}) {
      checkFunction(work, 'work');
      checkOptions(options, ['signal', 'maxWait', 'cost']);
      checkSignal(options.signal, 'signal');
      open += 1;
      try {
        return await running.run(await admitted(subject, options), work, options.signal);
      } finally {
        open -= 1;
        if (open === 0) for (const resolve of drained.splice(0)) resolve();
      }
    },

    get length() {
      return line.length;
    },

    get oldestMs() {
      return line.oldestMs;
    },

    drain: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => drained.push(resolve))),

    close() {
      const closed = new SluiceError('SLUICE_CLOSED', 'the line was closed');
      line.close(closed);
      running.close(closed);
    },
  };
}

/** What to write instead of options that queues of other libraries have. */
const LINE_INSTEAD: readonly Instead[] = [
  ['size', 'highWater', 'use size, or perKey for each key'],
  ['order', 'strategy'],
  ['weight', 'priority'],
  // Theirs bound how long work runs, and not how long it waits.
  ['limiter', 'timeout expiration', 'give run a signal, AbortSignal.timeout(ms)'],
  [
    'limiter',
    'limit limits maxConcurrent minTime reservoir concurrency interval intervalCap strict',
    'give it to the limiter: createLimiter({ limits })',
  ],
];

/** Checks the options of a line, and adds the defaults. */
function rulesOf<Subject>(options: LineOptions<Subject>) {
  checkOptions(options, ['limiter', 'size', 'perKey', 'order', 'maxWait', 'weight', 'keyGenerator'], '', {
    instead: LINE_INSTEAD,
  });
  const engine = typeof options.limiter === 'object' ? engineOf(options.limiter) : undefined;
  if (!engine) throw optionError('limiter', 'must be a limiter that createLimiter has made', options.limiter);
  const size = checkWhole(options.size ?? DEFAULT_SIZE, 'size', 1);
  const perKey = checkWhole(options.perKey ?? size, 'perKey', 1);
  const order = checkOneOf(options.order ?? 'fair', 'order', ['fair', 'fifo', 'newest'] as const);
  const { weight, keyGenerator } = options;
  if (weight !== undefined) checkFunction(weight, 'weight');
  if (weight !== undefined && order !== 'fair') throw optionError('weight', "needs order: 'fair'", weight);
  if (keyGenerator !== undefined) checkFunction(keyGenerator, 'keyGenerator');
  return { engine, size, perKey, order, weight, keyGenerator, longestMs: waitOf(options.maxWait) };
}

function waitOf(maxWait: Duration | undefined): number | undefined {
  return maxWait === undefined ? undefined : durationMs(maxWait, 'maxWait', 0);
}

function keyOf<Subject>(subject: Subject, keyGenerator: LineOptions<Subject>['keyGenerator']): string {
  if (keyGenerator) return encodeKey(keyGenerator(subject));
  return typeof subject === 'string' || typeof subject === 'number' ? encodeKey(subject) : '';
}

function refusal(why: string, retryAfterMs: number | 'never'): SluiceError {
  return new SluiceError('SLUICE_REFUSED', `the line refused the work: ${why}`, { retryAfterMs });
}
