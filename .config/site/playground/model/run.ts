import { type Decision, MemoryStore, SluiceError, type Verdict } from '@sluice/core';
import { type Admission, type AdmittingHost, carryOut } from '@sluice/http/enforcement/carry-out';
import { createEnforcer } from '@sluice/http/enforcer';
import type { Outcome } from '@sluice/http/node/response-end';
import type { HttpReservation } from '@sluice/http/request/http-reservation';
import type { Arrival, Sender, Traffic } from './arrivals.js';
import { EventClock, settled } from './clock.js';
import { optionsOf, type PlayedRequest } from './policy.js';
import { COLUMNS, type State } from './state.js';
import { trafficOf } from './traffic.js';

/** What became of a request. */
export type Fate = 'admitted' | 'delayed' | 'refused';

/** A request that was decided. */
export interface PlayedOutcome {
  readonly atMs: number;
  readonly client: number;
  readonly cost: number;
  readonly fate: Fate;
  /** When its units were spent, or when it was refused. */
  readonly decidedMs: number;
  /** When its handler began, or when it was refused. */
  readonly endedMs: number;
  readonly status: number;
  /** The fields of its response that the limiter sets, in their order. */
  readonly fields: Readonly<Record<string, string>>;
  /** The body of a refusal. */
  readonly body: string | undefined;
  readonly decision: Decision | undefined;
}

/** What is left of a limit at a time. */
export interface Step {
  readonly atMs: number;
  readonly remaining: number;
}

/** Of how many clients the steps are noted. A log can have thousands. */
const MOST_STEPPED = 8;

/** What became of the traffic. */
export interface Run {
  readonly traffic: Traffic;
  /** In the order in which the requests came. */
  readonly outcomes: readonly PlayedOutcome[];
  /** For each limit, and in it for each of the first clients: what is left, at the start of each column and after each decision. */
  readonly steps: readonly (readonly (readonly Step[])[])[];
  /** What an option lacks, as the constructor says it; undefined if nothing does. */
  readonly problem: string | undefined;
}

/**
 * Plays the traffic of a state against its limits, by a clock that jumps from one event to the next.
 *
 * @param looks - whether to look at what is left at the start of each column, too, and not only after decisions
 */
export async function run(state: State, looks = true): Promise<Run> {
  const traffic = trafficOf(state);
  try {
    return await new Play(state, traffic).run(looks);
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    return { traffic, outcomes: [], steps: [], problem: error.message };
  }
}

/** A time at which something happens that the clock does not know. */
interface Timed {
  readonly atMs: number;
  readonly happen: () => void | Promise<void>;
}

/** The fields of a response, in the order in which they were set. */
class PlayedFields {
  readonly record: Record<string, string> = {};

  set(name: string, value: string): void {
    this.record[name] = value;
  }

  append(name: string, value: string): void {
    this.record[name] = name in this.record ? `${this.record[name]}, ${value}` : value;
  }

  delete(name: string): void {
    delete this.record[name];
  }
}

class Play {
  readonly #traffic: Traffic;
  readonly #clock: EventClock;
  readonly #store: MemoryStore;
  readonly #enforcer;
  /** Of requests that are running: when they end. */
  #ends: Timed[] = [];
  readonly #outcomes: PlayedOutcome[] = [];
  /** Requests that wait. */
  #pending = 0;
  readonly #steps: Step[][][] = [];

  constructor(state: State, traffic: Traffic) {
    this.#traffic = traffic;
    this.#clock = new EventClock(traffic.startMs);
    this.#store = new MemoryStore({ clock: this.#clock });
    const isBusy = (): boolean => this.#nowMs >= state.busyFrom * 1000 && this.#nowMs < state.busyTo * 1000;
    const options = { ...optionsOf(state, traffic.clients, isBusy), store: this.#store };
    this.#enforcer = createEnforcer<[PlayedRequest]>(options, {
      requestOf: (request) => request,
      proxyTrust: () => undefined,
    });
  }

  get #nowMs(): number {
    return this.#clock.now() - this.#traffic.startMs;
  }

  async run(looks: boolean): Promise<Run> {
    const coming = [
      ...(looks ? this.#looks() : []),
      ...this.#traffic.arrivals.map((arrival, index) => this.#coming(arrival, index)),
    ];
    coming.sort((a, b) => a.atMs - b.atMs);
    let next = 0;
    while (next < coming.length || this.#pending > 0) {
      const wakesMs = this.#clock.nextMs - this.#traffic.startMs;
      const endMs = this.#ends[0]?.atMs ?? Number.POSITIVE_INFINITY;
      const event = coming[next];
      const comesMs = event?.atMs ?? Number.POSITIVE_INFINITY;
      const nowMs = Math.min(wakesMs, endMs, comesMs);
      if (nowMs === Number.POSITIVE_INFINITY) break;
      this.#clock.moveTo(this.#traffic.startMs + nowMs);
      // At the same time: first what waits goes on, then what runs ends, then what is new comes.
      if (wakesMs === nowMs) await settled();
      else if (endMs === nowMs) {
        await this.#ends.shift()?.happen();
        await settled();
      } else {
        next += 1;
        await event?.happen();
      }
    }
    this.#store.close();
    // A request that still waits has no outcome.
    const outcomes = this.#outcomes.filter((outcome) => outcome !== undefined);
    return { traffic: this.#traffic, outcomes, steps: this.#steps, problem: undefined };
  }

  /** Looks at what is left, at the start of each column, without spending. */
  #looks(): Timed[] {
    const { columnMs, clients } = this.#traffic;
    return Array.from({ length: COLUMNS + 1 }, (_, column) => ({
      atMs: column * columnMs,
      happen: async () => {
        for (const [client, sender] of clients.slice(0, MOST_STEPPED).entries()) {
          const { verdicts } = await this.#enforcer.peek(requestOf(sender));
          this.#noteSteps(verdicts, client);
        }
      },
    }));
  }

  #noteSteps(verdicts: readonly Verdict[], client: number): void {
    if (client >= MOST_STEPPED) return;
    for (const [limit, { remaining }] of verdicts.entries()) {
      this.#steps[limit] ??= this.#traffic.clients.slice(0, MOST_STEPPED).map(() => []);
      this.#steps[limit]?.[client]?.push({ atMs: this.#nowMs, remaining });
    }
  }

  #coming({ atMs, client }: Arrival, index: number): Timed {
    return {
      atMs,
      happen: () => {
        const sender = this.#traffic.clients[client] as Sender;
        const host = new PlayedHost(() => this.#nowMs);
        const admission = carryOut(this.#enforcer.enforce(requestOf(sender)), host);
        const note = (ready: Admission): void => this.#note(index, client, atMs, sender, host, ready);
        if (!(admission instanceof Promise)) return note(admission as Admission);
        this.#pending += 1;
        admission.then((ready) => {
          this.#pending -= 1;
          note(ready);
        });
        return settled();
      },
    };
  }

  #note(index: number, client: number, atMs: number, sender: Sender, host: PlayedHost, admission: Admission): void {
    const endedMs = this.#nowMs;
    const { fields, reservation } = host;
    const isRefused = typeof admission === 'object';
    if (isRefused) Object.assign(fields.record, admission.refusal.headers);
    const decision = isRefused ? admission.decision : reservation;
    this.#outcomes[index] = {
      atMs,
      client,
      cost: sender.cost,
      fate: isRefused ? 'refused' : endedMs > atMs ? 'delayed' : 'admitted',
      decidedMs: host.keptMs ?? endedMs,
      endedMs,
      status: isRefused ? admission.refusal.status : 200,
      fields: fields.record,
      body: isRefused ? admission.refusal.body : undefined,
      decision: decision && decisionOf(decision),
    };
    if (decision) this.#noteSteps(decision.verdicts, client);
    if (host.end && !isRefused) this.#endAt(endedMs + sender.runs, host.end);
  }

  #endAt(atMs: number, end: (outcome: Outcome) => unknown): void {
    const timed = { atMs, happen: async () => void (await end({ status: 200, aborted: false })) };
    const index = this.#ends.findIndex((other) => other.atMs > atMs);
    this.#ends.splice(index < 0 ? this.#ends.length : index, 0, timed);
  }
}

function requestOf(sender: Sender): PlayedRequest {
  return { method: 'GET', url: '/', headers: {}, ip: sender.ip, sender };
}

/** Takes the steps that follow a decision as an adapter does, about a response that nobody sends. */
class PlayedHost implements AdmittingHost<[PlayedRequest]> {
  readonly fields = new PlayedFields();
  reservation: HttpReservation | undefined;
  keptMs: number | undefined;
  end: ((outcome: Outcome) => unknown) | undefined;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  requestOf(request: PlayedRequest): PlayedRequest {
    return request;
  }

  proxyTrust(): undefined {
    return undefined;
  }

  responseOf(): PlayedFields {
    return this.fields;
  }

  keep(reservation: HttpReservation): void {
    this.reservation = reservation;
    this.keptMs = this.#now();
  }

  onEnd(notify: (outcome: Outcome) => unknown): () => void {
    this.end ??= notify;
    return () => {
      if (this.end === notify) this.end = undefined;
    };
  }
}

/** Returns the data of a reservation, without its methods. */
function decisionOf(decision: Decision): Decision {
  const { policy, allowed, verdicts, tightest, retryAfterMs, delayMs, shadowed, exceeded, source } = decision;
  return {
    policy,
    allowed,
    verdicts,
    tightest,
    retryAfterMs,
    delayMs,
    shadowed,
    ...(exceeded && { exceeded }),
    source,
  };
}
