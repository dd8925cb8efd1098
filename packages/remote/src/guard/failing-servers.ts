// Why it is so: cloudflare/docs/requests-of-a-worker.md

import { stopwatchMs } from '@sluice/core/src/values/clock';
import { isMistake, type SluiceError } from '@sluice/core/src/values/error';
import { publish } from '@sluice/core/src/values/events';
import { hash } from '@sluice/core/src/values/key';
import type { BreakerState } from '@sluice/core/src/values/store-recorder';
import { FAILING_MS_TO_OPEN, FAILURES_TO_OPEN, PROBE_EVERY_MS, unavailableError } from './breaker.js';

/** The most servers whose failures are known. Beyond, the one that has failed first is asked as before. */
const MOST = 1000;

/** A server that has failed since its last answer. */
interface Failing {
  failures: number;
  /** When it failed first, by the stopwatch. */
  readonly sinceMs: number;
  cause: unknown;
  /** From when on a call may try it; undefined while it is asked. */
  triesMs: number | undefined;
}

/**
 * The circuit breakers of any number of servers, without a timer: after several failures in a row, or if it fails again a while after it has
 * failed, a server is not asked. Now and then a call that somebody makes tries it. Only servers that fail are kept.
 */
export class FailingServers {
  readonly #failing = new Map<string, Failing>();

  /** Whether calls reach all servers. */
  get state(): BreakerState {
    for (const { triesMs } of this.#failing.values()) if (triesMs !== undefined) return 'open';
    return 'closed';
  }

  /** Returns the error of a call while its server is not asked. */
  unavailable(server: string): SluiceError | undefined {
    const failing = this.#failing.get(server);
    return failing?.triesMs === undefined || stopwatchMs() >= failing.triesMs
      ? undefined
      : unavailableError('the store', failing.cause);
  }

  /** Notes that a call is made: it is the only one that tries its server for a while. */
  asked(server: string): void {
    const failing = this.#failing.get(server);
    if (failing?.triesMs === undefined) return;
    failing.triesMs = stopwatchMs() + PROBE_EVERY_MS;
    publishState('half-open', server);
  }

  succeeded(server: string): void {
    const failing = this.#failing.get(server);
    if (!failing) return;
    this.#failing.delete(server);
    if (failing.triesMs !== undefined) publishState('closed', server);
  }

  /** A mistake of the program is no failure of a server. */
  failed(server: string, error: unknown): void {
    if (isMistake(error)) return;
    const failing = this.#failingOf(server);
    failing.failures += 1;
    failing.cause = error;
    if (failing.failures < FAILURES_TO_OPEN && stopwatchMs() - failing.sinceMs < FAILING_MS_TO_OPEN) return;
    const isOpen = failing.triesMs !== undefined;
    failing.triesMs = stopwatchMs() + PROBE_EVERY_MS;
    if (!isOpen) publishState('open', server);
  }

  /** Forgets all failures, because the store is closed: it says so to its callers. */
  stop(): void {
    for (const server of this.#failing.keys()) this.succeeded(server);
  }

  #failingOf(server: string): Failing {
    const known = this.#failing.get(server);
    if (known) return known;
    const [first] = this.#failing.keys();
    if (this.#failing.size >= MOST) this.succeeded(first as string);
    const failing: Failing = { failures: 0, sinceMs: stopwatchMs(), cause: undefined, triesMs: undefined };
    this.#failing.set(server, failing);
    return failing;
  }
}

/** The name of a server may have a key in it, which events do not show. */
function publishState(state: BreakerState, server: string): void {
  publish('sluice:breaker', { state, node: hash(server) });
}
