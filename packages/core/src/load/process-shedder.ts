import { optionError } from '../values/error.js';
import { PRIORITIES, type Priority } from '../values/priority.js';
import type { Gate } from './gate.js';
import type { InFlightLimit } from './in-flight-limit.js';
import type { LoadSignal } from './load-signal.js';
import type { LoopAge } from './loop-age.js';
import { type RequestCounter, RequestPermit } from './request-permit.js';
import type { LoadState, Permit, Shedder } from './shedder.js';

/** For how long a refusal because of the limit in flight is remembered: it is not calm until then. */
const REFUSAL_MS = 1000;

/** More than what is lost when a share is computed in binary. */
const ROUNDING = 1e-9;

export interface ShedderParts {
  readonly loop: LoopAge;
  /** Undefined if the event loop is not used. */
  readonly gate: Gate | undefined;
  /** Undefined if requests in flight are not limited. */
  readonly limit: InFlightLimit | undefined;
  /** The part of the limit that each class may use, by rank. */
  readonly shares: readonly number[];
}

/** The shedder of this process: asks the gate, then the limit in flight. */
export class ProcessShedder implements Shedder, RequestCounter {
  readonly name: string;
  readonly calm: LoadSignal;
  readonly state: LoadState;
  readonly #loop: LoopAge;
  readonly #gate: Gate | undefined;
  readonly #limit: InFlightLimit | undefined;
  readonly #shares: readonly number[];
  #inFlight = 0;
  /** How many of them take no place under the limit now. */
  #paused = 0;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, { loop, gate, limit, shares }: ShedderParts) {
    this.name = name;
    this.#loop = loop;
    this.#gate = gate;
    this.#limit = limit;
    this.#shares = shares;
    this.calm = new CalmSignal(this);
    this.state = new LiveState(this);
  }

  admit(priority: Priority = 'normal'): Permit | undefined {
    const rank = rankOf(priority);
    const loop = this.#loop;
    const gate = this.#gate;
    const limit = this.#limit;
    loop.read();
    if (gate && !gate.asks(rank, loop.nowMs, loop.ageMs, loop.idleMs)) return undefined;
    if (limit && this.#inFlight - this.#paused >= roomFor(limit.limit, this.#shares[rank] as number))
      return this.#full(limit);
    gate?.admitted();
    limit?.admitted();
    this.#inFlight += 1;
    return new RequestPermit(this, limit?.needsTimes ? loop.nowMs : Number.NaN, true);
  }

  exempt(): Permit {
    this.#inFlight += 1;
    return new RequestPermit(this, Number.NaN, false);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get limit(): number {
    return this.#limit?.limit ?? Number.POSITIVE_INFINITY;
  }

  /** The most important class that the gate refuses now. */
  get border(): Priority | undefined {
    const border = this.#gate?.border;
    if (border === undefined) return undefined;
    this.#update();
    const now = this.#gate?.border;
    return now === undefined ? undefined : PRIORITIES[now];
  }

  get ageMs(): number {
    this.#loop.read();
    return this.#loop.ageMs;
  }

  get isCalm(): boolean {
    if (this.#fullAtMs !== Number.NEGATIVE_INFINITY) {
      this.#loop.read();
      if (this.#loop.nowMs - this.#fullAtMs < REFUSAL_MS) return false;
      this.#fullAtMs = Number.NEGATIVE_INFINITY;
    }
    return this.border === undefined;
  }

  /** An admitted request has been answered; `startedMs` is NaN if it gives no sample. */
  done(startedMs: number): void {
    const limit = this.#limit;
    if (limit && startedMs >= 0) {
      this.#loop.read();
      limit.done(this.#loop.nowMs, startedMs, this.#loop.ageMs, this.#inFlight - this.#paused);
    }
    this.#inFlight -= 1;
  }

  /** A request has ended that took no place under the limit. */
  donePaused(): void {
    this.#paused -= 1;
    this.#inFlight -= 1;
  }

  pause(): void {
    this.#paused += 1;
  }

  /** Returns when the sample begins; NaN if there is to be none. */
  resume(): number {
    this.#paused -= 1;
    if (!this.#limit?.needsTimes) return Number.NaN;
    this.#loop.read();
    return this.#loop.nowMs;
  }

  #full(limit: InFlightLimit): undefined {
    this.#fullAtMs = this.#loop.nowMs;
    limit.refused(this.#fullAtMs);
  }

  #update(): void {
    this.#loop.read();
    this.#gate?.advance(this.#loop.nowMs, this.#loop.idleMs);
  }
}

class CalmSignal implements LoadSignal {
  readonly #shedder: ProcessShedder;

  constructor(shedder: ProcessShedder) {
    this.#shedder = shedder;
  }

  get isCalm(): boolean {
    return this.#shedder.isCalm;
  }
}

/** Tells the present whenever it is read, so that reading it once for each request makes no object. */
class LiveState implements LoadState {
  readonly #shedder: ProcessShedder;

  constructor(shedder: ProcessShedder) {
    this.#shedder = shedder;
  }

  get isShedding(): boolean {
    return this.#shedder.border !== undefined;
  }

  get border(): Priority | undefined {
    return this.#shedder.border;
  }

  get ageMs(): number {
    return this.#shedder.ageMs;
  }

  get limit(): number {
    return this.#shedder.limit;
  }

  get inFlight(): number {
    return this.#shedder.inFlight;
  }

  /** Getters of a class are not spread or written as JSON by themselves. */
  toJSON(): LoadState {
    const { isShedding, border, ageMs, limit, inFlight } = this;
    return { isShedding, border, ageMs, limit, inFlight };
  }
}

/** How many may be in flight for a class of this share. A class may always have one, or it could never run. */
function roomFor(limit: number, share: number): number {
  return Math.max(1, Math.floor(limit * share + ROUNDING));
}

function rankOf(priority: Priority): number {
  if (priority === 'normal') return 1;
  if (priority === 'critical') return 0;
  if (priority === 'low') return 2;
  throw optionError('priority', `must be 'critical', 'normal' or 'low'`, priority);
}
