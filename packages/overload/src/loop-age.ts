import { stopwatchMs } from '@sluice/core/src/values/clock';
import type { EventLoop } from './event-loop.js';

type NodeTiming = Partial<typeof performance.nodeTiming>;

/** Looked up once, because looking up takes as long as a reading; at the first use, because other runtimes have none. */
let timing: NodeTiming | undefined;

function nodeTiming(): NodeTiming {
  timing ??= performance.nodeTiming ?? {};
  return timing;
}

/**
 * The event loop of this process, as libuv counts it. It is read when a request comes, so nothing runs in between: no timer,
 * and no sampler that is silent while the loop is blocked.
 *
 * A turn is an iteration of libuv's loop (`uv_metrics_info`), and idle is the time that it spent in the poll of the kernel
 * without events (`uv_metrics_idle_time`). Reading takes 50 to 100 ns each. Runtimes that do not count them say NaN.
 */
export const systemEventLoop: EventLoop = /* @__PURE__ */ Object.freeze({
  nowMs: stopwatchMs,
  idleMs: () => (timing ?? nodeTiming()).idleTime ?? Number.NaN,
  turns: () => (timing ?? nodeTiming()).uvMetricsInfo?.loopCount ?? Number.NaN,
});

/** Whether this runtime tells how often its event loop turned, and how long it was idle. */
export function countsTurns(): boolean {
  const { idleTime, uvMetricsInfo } = performance.nodeTiming ?? {};
  return typeof idleTime === 'number' && typeof uvMetricsInfo?.loopCount === 'number';
}

/**
 * The age of the event loop: the longest time that the request which is read now can have waited unread.
 *
 * A request that is read in this turn became readable after the poll of the turn before had returned, or that turn would
 * have read it. If the loop has waited in its poll since then, nothing was readable, so the request came just now.
 */
export class LoopAge {
  readonly #loop: EventLoop;
  #turns: number;
  /** When the current turn was first seen. */
  #turnSinceMs: number;
  /** Since when what is read in this turn can have been readable. */
  #readableSinceMs: number;
  #idleMs: number;
  #nowMs: number;

  constructor(loop: EventLoop) {
    this.#loop = loop;
    this.#turns = loop.turns();
    // Where no turns are counted, the first request tells the time: a Worker has none while it loads.
    this.#nowMs = Number.isNaN(this.#turns) ? 0 : finite(loop.nowMs(), 0);
    this.#idleMs = finite(loop.idleMs(), 0);
    this.#turnSinceMs = this.#nowMs;
    this.#readableSinceMs = this.#nowMs;
  }

  /** The time of the last reading. It never goes back, and is always a number, whatever the event loop says. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** For how long the loop had been idle when the current turn began. It is never idle within a turn. */
  get idleMs(): number {
    return this.#idleMs;
  }

  /** The age at the time of the last reading. */
  get ageMs(): number {
    return this.#nowMs - this.#readableSinceMs;
  }

  /** Reads the event loop. */
  read(): void {
    const nowMs = this.#loop.nowMs();
    if (nowMs > this.#nowMs && nowMs < Number.POSITIVE_INFINITY) this.#nowMs = nowMs;
    const turns = this.#loop.turns();
    if (turns !== this.#turns) this.#beginTurn(turns);
  }

  #beginTurn(turns: number): void {
    const passed = turns - this.#turns;
    const idleMs = this.#loop.idleMs();
    const idledMs = idleMs > this.#idleMs && idleMs < Number.POSITIVE_INFINITY ? idleMs - this.#idleMs : 0;
    const busyMs = Math.max(0, this.#nowMs - this.#turnSinceMs - idledMs);
    this.#readableSinceMs = this.#nowMs - lastTurnMs(passed, idledMs > 0, busyMs);
    this.#turns = turns;
    this.#turnSinceMs = this.#nowMs;
    this.#idleMs += idledMs;
  }
}

/**
 * How long the turn before this one can have lasted. Turns in which no request came are not seen: of those, the mean is
 * taken.
 */
function lastTurnMs(passed: number, hasIdled: boolean, busyMs: number): number {
  if (passed === 1) return hasIdled ? 0 : busyMs;
  // Nothing is known of a loop that does not count its turns, or counts backwards.
  return passed > 1 ? busyMs / passed : 0;
}

function finite(value: number, otherwise: number): number {
  return Number.isFinite(value) ? value : otherwise;
}
