import type { Priority } from '@sluice/core/load';
import { processorMs } from '../processor-time.js';
import { randomOf } from '../random.js';
import type { ConnectionPool } from './connection-pool.js';
import { exponential } from './exponential.js';
import type { LoadOptions, Phase } from './load-options.js';
import { type Answered, type Outcome, outcomeOf, PATIENCE_MS } from './outcome.js';
import { PRIORITY_FIELD } from './protection.js';

/** Parts of the requests. */
const CRITICAL = 0.2;
const NORMAL = 0.5;

export interface LoadResult {
  /** By phase. */
  readonly outcomes: readonly Outcome[];
  /** How much later than scheduled 99 % of the requests were sent. If it is much, the generator was the bottleneck. */
  readonly lateP99Ms: number;
  /** The part of one processor that the generator used. */
  readonly processor: number;
}

interface Arrival {
  readonly atMs: number;
  readonly priority: Priority;
  readonly phase: number;
}

interface Pending {
  readonly arrival: Arrival;
  readonly leave: () => void;
  isOver: boolean;
}

const REQUESTS = Object.fromEntries(
  (['critical', 'normal', 'low'] as const).map((priority) => [
    priority,
    `GET / HTTP/1.1\r\nHost: localhost\r\n${PRIORITY_FIELD}: ${priority}\r\n\r\n`,
  ]),
) as Readonly<Record<Priority, string>>;

/**
 * Sends requests by a schedule that does not wait for answers, as many clients do who do not know of each other (a Poisson
 * process). Latencies are counted from the scheduled time, so that a server which is too slow to take requests cannot hide
 * how long they waited.
 */
export async function openLoad({ pool, phases, seed }: LoadOptions): Promise<LoadResult> {
  const run = new OpenLoad(pool, phases, randomOf(seed));
  await run.finished;
  return run.result();
}

class OpenLoad {
  readonly finished: Promise<void>;
  readonly #phases: readonly Phase[];
  readonly #arrivals: Iterator<Arrival, undefined>;
  readonly #pool: ConnectionPool;
  readonly #startMs = performance.now();
  readonly #startProcessorMs = processorMs();
  #processor = 0;
  /** In the order of their arrival. */
  #pending: Pending[] = [];
  readonly #lateMs: number[] = [];
  readonly #answered: Answered[][];
  #next: Arrival | undefined;

  constructor(pool: ConnectionPool, phases: readonly Phase[], random: () => number) {
    this.#pool = pool;
    this.#phases = phases;
    this.#arrivals = arrivalsOf(phases, random);
    this.#answered = phases.map(() => []);
    this.#next = this.#arrivals.next().value;
    this.finished = new Promise((resolve) => this.#tick(resolve));
  }

  result(): LoadResult {
    const outcomes = this.#phases.map(({ seconds, settleSeconds }, phase) =>
      outcomeOf(this.#answered[phase] ?? [], seconds - settleSeconds),
    );
    const late = this.#lateMs.sort((a, b) => a - b);
    return { outcomes, lateP99Ms: late[Math.floor(late.length * 0.99)] ?? 0, processor: this.#processor };
  }

  #tick(done: () => void): void {
    const nowMs = performance.now() - this.#startMs;
    while (this.#next && this.#next.atMs <= nowMs) {
      this.#send(this.#next, nowMs);
      this.#next = this.#arrivals.next().value;
    }
    this.#leave(nowMs);
    if (this.#next || this.#pending.length > 0) {
      setTimeout(() => this.#tick(done), 1);
      return;
    }
    this.#processor = (processorMs() - this.#startProcessorMs) / nowMs;
    done();
  }

  #send(arrival: Arrival, nowMs: number): void {
    this.#lateMs.push(nowMs - arrival.atMs);
    const leave = this.#pool.send(REQUESTS[arrival.priority], (status) => {
      if (!pending.isOver) this.#end(pending, status);
    });
    const pending: Pending = { arrival, leave, isOver: false };
    this.#pending.push(pending);
  }

  /** Ends what has waited too long. Requests that have ended stay in the list until all before them have. */
  #leave(nowMs: number): void {
    let over = 0;
    for (const pending of this.#pending) {
      if (!pending.isOver) {
        if (nowMs - pending.arrival.atMs < PATIENCE_MS) break;
        this.#end(pending, undefined);
        pending.leave();
      }
      over += 1;
    }
    if (over > 0) this.#pending = this.#pending.slice(over);
  }

  #end(pending: Pending, status: number | undefined): void {
    pending.isOver = true;
    const { atMs, phase, priority } = pending.arrival;
    if (!isCounted(this.#phases, pending.arrival)) return;
    const latencyMs = status === undefined ? PATIENCE_MS : performance.now() - this.#startMs - atMs;
    const fate = status === 503 ? 'shed' : status !== undefined && status < 300 ? 'served' : 'failed';
    this.#answered[phase]?.push({ priority, fate, latencyMs });
  }
}

function isCounted(phases: readonly Phase[], { atMs, phase }: Arrival): boolean {
  const startSeconds = phases.slice(0, phase).reduce((sum, { seconds }) => sum + seconds, 0);
  return atMs >= 1000 * (startSeconds + (phases[phase]?.settleSeconds ?? 0));
}

function* arrivalsOf(phases: readonly Phase[], random: () => number): Generator<Arrival, undefined> {
  let startMs = 0;
  for (const [phase, { perSecond, seconds }] of phases.entries()) {
    const endMs = startMs + 1000 * seconds;
    for (let atMs = startMs; ; ) {
      atMs += exponential(1000 / perSecond, random);
      if (atMs >= endMs) break;
      const drawn = random();
      yield { atMs, phase, priority: drawn < CRITICAL ? 'critical' : drawn < CRITICAL + NORMAL ? 'normal' : 'low' };
    }
    startMs = endMs;
  }
  return undefined;
}
