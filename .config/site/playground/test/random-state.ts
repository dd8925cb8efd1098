import { seededRandom } from '@sluice/test-kit/seeded-random';
import {
  ALGORITHMS,
  type ClientState,
  COLUMNS,
  DEFAULT_CLIENT,
  DEFAULT_LIMIT,
  defaultState,
  type LimitState,
  PATTERNS,
  type State,
} from '../model/state.js';

/** Chooses from a seed. */
class Choice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  of<T>(...some: readonly T[]): T {
    return some[Math.floor(this.#next() * some.length)] as T;
  }

  /** A whole number from `from` to `to`. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.#next() * (to - from + 1));
  }

  isOne(of: number): boolean {
    return this.#next() * of < 1;
  }
}

const CAN_DELAY: readonly LimitState['algorithm'][] = [
  'sliding-window',
  'sliding-window-log',
  'sliding-window-counter',
  'fixed-window',
  'token-bucket',
];

/** Returns what a visitor may choose: all algorithms and modes, and their combinations as far as they are allowed. */
export function randomState(seed: number): State {
  const choice = new Choice(seed);
  const waits = choice.isOne(5);
  const clients = Array.from({ length: choice.of(1, 2, 2, 3) }, (_, i) => randomClient(choice, i));
  const limits = Array.from({ length: choice.of(1, 1, 2, 3) }, (_, i) =>
    // Every algorithm comes equally often.
    randomLimit(choice, ALGORITHMS[(seed + i * 3) % ALGORITHMS.length] as LimitState['algorithm'], waits),
  );
  return {
    ...defaultState(),
    limits,
    clients,
    maxWait: waits ? choice.of('500ms', '3s', '20s') : '',
    busyFrom: choice.whole(0, 30),
    busyTo: choice.whole(20, 60),
    fields: choice.of('draft-11', 'draft-7', 'draft-6'),
    legacy: choice.isOne(2),
  };
}

function randomClient(choice: Choice, index: number): ClientState {
  return {
    ...DEFAULT_CLIENT,
    name: `client-${index}`,
    pattern: choice.of(...PATTERNS),
    rate: choice.of(0.1, 0.3, 0.5),
    size: choice.whole(1, 8),
    every: choice.of(7, 15, 30),
    drawn: Array.from({ length: COLUMNS }, () => choice.of(0, 0, 0, 0, 0, 1, 2)),
    cost: choice.of(1, 1, 1, 2, 5),
    runs: choice.of(50, 400, 3000),
    priority: choice.of('critical', 'normal', 'low'),
  };
}

function randomLimit(choice: Choice, algorithm: LimitState['algorithm'], waits: boolean): LimitState {
  const quota = choice.whole(1, 20);
  const hasPenalties = !waits && algorithm !== 'leaky-bucket' && algorithm !== 'concurrency';
  return {
    ...DEFAULT_LIMIT,
    algorithm,
    quota,
    window: choice.of('1s', '3s', '10s', '1m'),
    buckets: choice.of(1, 5, 20),
    align: choice.of('first-request', 'clock', 'calendar'),
    unit: choice.of('hour', 'day', 'month'),
    timeZone: choice.of('UTC', 'Europe/Rome'),
    rate: choice.of(0.5, 1, 3),
    ...(choice.isOne(3) && { interval: choice.of('1s', '5s'), rate: choice.whole(1, 10) }),
    immediate: choice.whole(0, quota),
    lease: choice.of('5s', '30s'),
    per: choice.of('client', 'everyone'),
    enforce: choice.of('refuse', 'refuse', 'refuse', 'report', 'mark'),
    ...(hasPenalties && randomPenalty(choice)),
    ...randomMode(choice, algorithm, quota),
  };
}

function randomPenalty(choice: Choice): Partial<LimitState> {
  return choice.of<Partial<LimitState>>(
    {},
    {},
    { countRejected: 'yes' },
    { countRejected: 'always' },
    { block: choice.of('1s', '5s') },
    { block: '1s', longestBlock: choice.of('4s', '20s') },
  );
}

function randomMode(choice: Choice, algorithm: LimitState['algorithm'], quota: number): Partial<LimitState> {
  const slowDown = { slowBy: '200ms', slowAfter: choice.whole(0, quota - 1), slowUpTo: choice.of('500ms', '2s') };
  // Each of at most three clients has a part.
  const parts = choice.whole(Math.min(3, quota), quota);
  const guarantee: Partial<LimitState> = {
    align: 'clock',
    interval: '',
    countRejected: 'no',
    block: '',
    part: Math.floor(parts / 3),
    parts,
    lend: choice.of(0, 50, 100),
  };
  const canGuarantee = algorithm !== 'leaky-bucket' && algorithm !== 'sliding-window-counter';
  return choice.of<Partial<LimitState>>(
    {},
    {},
    { tolerance: choice.of(10, 50) },
    { elastic: choice.whole(quota, 2 * quota) },
    { headroom: choice.of(20, 50) },
    CAN_DELAY.includes(algorithm) ? slowDown : {},
    canGuarantee ? guarantee : {},
  );
}
