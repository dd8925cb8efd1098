import type { LoadSignal } from '@sluice/core/src/limiter/policy/margin';
import { optionError } from '@sluice/core/src/values/error';
import { PRIORITIES, type Priority, rankOf } from '@sluice/core/src/values/priority';
import type { Gate } from './gate.js';
import type { InFlight } from './in-flight.js';
import { LiveState } from './live-state.js';
import { LoadEvents } from './load-events.js';
import type { LoopAge } from './loop-age.js';
import type { LoadState, Permit, Shedder } from './shedder.js';
import { type ShedderRecorder, shedderRecorderOf } from './shedder-recorder.js';

/** For how long a refusal for want of room is remembered: until then it is not calm. */
const REFUSAL_MS = 1000;

interface ShedderParts {
  readonly loop: LoopAge;
  /** Undefined if the event loop is not used. */
  readonly gate: Gate | undefined;
  readonly inFlight: InFlight;
}

/** The shedder of this process: asks the gate, then whether there is room in flight. */
export class ProcessShedder implements Shedder {
  readonly name: string;
  readonly calm: LoadSignal;
  readonly state: LoadState;
  readonly #loop: LoopAge;
  readonly #gate: Gate | undefined;
  readonly #inFlight: InFlight;
  readonly #recorder: ShedderRecorder;
  /** When a request was refused for want of room; long ago if none was lately. */
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, { loop, gate, inFlight }: ShedderParts) {
    this.name = name;
    this.#loop = loop;
    this.#gate = gate;
    this.#inFlight = inFlight;
    this.calm = new CalmSignal(this);
    this.state = new LiveState(this);
    this.#recorder = shedderRecorderOf(name);
    this.#recorder.addState(this.state);
    const events = new LoadEvents(name, this.state);
    gate?.onInterval((border) => events.borderIs(border));
    inFlight.onLearned((center) => events.limitIs(center));
  }

  admit(priority: Priority = 'normal'): Permit | undefined {
    const rank = checkedRank(priority);
    const loop = this.#loop;
    const gate = this.#gate;
    loop.read();
    if (gate && !gate.mayPass(rank, loop.nowMs, loop.ageMs, loop.idleMs)) {
      (this.#recorder.refusedByLoop[rank] as number) += 1;
      return undefined;
    }
    if (!this.#inFlight.hasRoom(rank)) {
      this.#fullAtMs = loop.nowMs;
      this.#inFlight.refused();
      (this.#recorder.refusedInFlight[rank] as number) += 1;
      return undefined;
    }
    gate?.admitted();
    (this.#recorder.admitted[rank] as number) += 1;
    return this.#inFlight.admitted();
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
    return gate.border === undefined ? undefined : PRIORITIES[gate.border];
  }

  get ageMs(): number {
    this.#loop.read();
    return this.#loop.ageMs;
  }

  get limit(): number {
    return this.#inFlight.limit;
  }

  get inFlight(): number {
    return this.#inFlight.count;
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
