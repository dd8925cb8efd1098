import type { LoadSignal } from '@sluice/core/src/limiter/policy/margin';
import { optionError } from '@sluice/core/src/values/error';
import { OTHERS } from '@sluice/core/src/values/named-recorders';
import { PRIORITIES, type Priority, rankOf } from '@sluice/core/src/values/priority';
import type { Share, TenantOptions } from './fair-shares.js';
import type { Gate } from './gate.js';
import type { InFlight } from './in-flight.js';
import { LiveState } from './live-state.js';
import { LoadEvents } from './load-events.js';
import type { LoopAge } from './loop-age.js';
import { RequestShares } from './request-shares.js';
import type { LoadState, Permit, RequestOrigin, Shedder } from './shedder.js';
import { type ShedderRecorder, shedderRecorderOf } from './shedder-recorder.js';

/** For how long a refusal for want of room is remembered: until then it is not calm. */
const REFUSAL_MS = 1000;

/** So many bulkheads have a limit of their own. */
const MOST_BULKHEADS = 100;

const SHARED: RequestOrigin = {};

interface ShedderParts {
  readonly loop: LoopAge;
  /** Undefined if the event loop is not used. */
  readonly gate: Gate | undefined;
  /** Makes the requests in flight of one bulkhead. */
  readonly newInFlight: () => InFlight;
  readonly tenants: TenantOptions;
}

/** The shedder of this process: asks the gate, then whether there is room in flight. */
export class ProcessShedder implements Shedder {
  readonly name: string;
  readonly calm: LoadSignal;
  readonly state: LoadState;
  readonly #loop: LoopAge;
  readonly #gate: Gate | undefined;
  readonly #newInFlight: () => InFlight;
  /** Requests without a bulkhead. */
  readonly #inFlight: InFlight;
  readonly #bulkheads = new Map<string, InFlight>();
  readonly #tenantOptions: TenantOptions;
  /** Made for the first request of a tenant. */
  #requestShares: RequestShares | undefined;
  readonly #events: LoadEvents;
  readonly #recorder: ShedderRecorder;
  /** When a request was refused for want of room; long ago if none was lately. */
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, { loop, gate, newInFlight, tenants }: ShedderParts) {
    this.name = name;
    this.#loop = loop;
    this.#gate = gate;
    this.#newInFlight = newInFlight;
    this.#inFlight = newInFlight();
    this.#tenantOptions = tenants;
    this.calm = new CalmSignal(this);
    this.state = new LiveState(this);
    this.#recorder = shedderRecorderOf(name);
    this.#recorder.addState(this.state);
    this.#events = new LoadEvents(name, this.state);
    gate?.onInterval((border) => this.#events.borderIs(border));
    this.#inFlight.onLearned(() => this.#learned());
  }

  admit(priority: Priority = 'normal', { tenant, bulkhead }: RequestOrigin = SHARED): Permit | undefined {
    const rank = checkedRank(priority);
    const loop = this.#loop;
    loop.read();
    const requestShare = tenant === undefined ? undefined : this.#beginTenants().asked(tenant, loop.nowMs);
    if (!this.#passesGate(rank, requestShare)) {
      (this.#recorder.refusedByLoop[rank] as number) += 1;
      return undefined;
    }
    const inFlight = bulkhead === undefined ? this.#inFlight : this.#bulkhead(bulkhead);
    const placeShare = tenant === undefined ? undefined : inFlight.asked(tenant);
    if (!inFlight.hasRoom(rank, placeShare)) {
      this.#fullAtMs = loop.nowMs;
      inFlight.refused();
      (this.#recorder.refusedInFlight[rank] as number) += 1;
      return undefined;
    }
    this.#gate?.admitted();
    if (requestShare) requestShare.admitted += 1;
    (this.#recorder.admitted[rank] as number) += 1;
    return inFlight.admitted(placeShare);
  }

  /** Returns the shares of tenants in requests. The gate has as many further classes, for what is above the part of a tenant. */
  #beginTenants(): RequestShares {
    if (this.#requestShares) return this.#requestShares;
    this.#gate?.setClasses(2 * PRIORITIES.length);
    this.#requestShares = new RequestShares(this.#tenantOptions);
    return this.#requestShares;
  }

  #passesGate(rank: number, share: Share | undefined): boolean {
    const gate = this.#gate;
    if (!gate) return true;
    const { nowMs, ageMs, idleMs } = this.#loop;
    // Above the part of its tenant, a request is less important than all that are within theirs.
    const isAbove = share !== undefined && this.#requestShares?.isAbove(share, rank) === true;
    return gate.mayPass(isAbove ? rank + PRIORITIES.length : rank, nowMs, ageMs, idleMs);
  }

  #bulkhead(name: string): InFlight {
    const known = this.#bulkheads.get(name);
    if (known) return known;
    if (this.#bulkheads.size >= MOST_BULKHEADS && name !== OTHERS) return this.#bulkhead(OTHERS);
    const inFlight = this.#newInFlight();
    inFlight.onLearned(() => this.#learned());
    this.#bulkheads.set(name, inFlight);
    return inFlight;
  }

  #learned(): void {
    this.#events.limitIs(this.#sumOfLimits(({ center }) => center));
  }

  exempt(): Permit {
    this.#recorder.exempt += 1;
    return this.#inFlight.exempt();
  }

  /** The most important class that the gate refuses now. */
  get border(): Priority | undefined {
    const gate = this.#gate;
    if (gate?.border === undefined) return undefined;
    // If no request has come since, nothing else has told the gate that the overload is over.
    this.#loop.read();
    gate.advance(this.#loop.nowMs, this.#loop.idleMs);
    // Where only those are refused that have more than their part, low ones are the first of them.
    return gate.border === undefined ? undefined : PRIORITIES[Math.min(gate.border, PRIORITIES.length - 1)];
  }

  get ageMs(): number {
    this.#loop.read();
    return this.#loop.ageMs;
  }

  get limit(): number {
    return this.#sumOfLimits(({ limit }) => limit);
  }

  #sumOfLimits(limitOf: (inFlight: InFlight) => number): number {
    // Where each request has a bulkhead, nobody uses the limit of those without one.
    const isUsed = this.#bulkheads.size === 0 || this.#inFlight.isAsked;
    let sum = isUsed ? limitOf(this.#inFlight) : 0;
    for (const inFlight of this.#bulkheads.values()) sum += limitOf(inFlight);
    return sum;
  }

  get inFlight(): number {
    let sum = this.#inFlight.count;
    for (const { count } of this.#bulkheads.values()) sum += count;
    return sum;
  }

  get isCalm(): boolean {
    if (this.#fullAtMs !== Number.NEGATIVE_INFINITY) {
      this.#loop.read();
      if (this.#loop.nowMs - this.#fullAtMs < REFUSAL_MS) return false;
      this.#fullAtMs = Number.NEGATIVE_INFINITY;
    }
    return this.border === undefined;
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

function checkedRank(priority: Priority): number {
  const rank = rankOf(priority);
  if (rank === undefined) throw optionError('priority', `must be 'critical', 'normal' or 'low'`, priority);
  return rank;
}
