import type { CallBegan, CallEnded, Observation } from '../fleet/observation.js';
import { GOES_ON_MS } from '../fleet/rest.js';
import type { FaultStep } from '../tape/tape.js';
import type { SetupFacts } from './setup-facts.js';
import { TIMEOUTS_OF_A_LOST_CALL } from './stated-times.js';

/** From a moment to another one, both included. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** "The first decision by Redis comes at most a second after it is back" (packages/redis/docs/when-redis-fails.md). */
const BACK_AFTER_MS = 1000;

/** A process from its start to its end. One that begins anew is another one. */
export interface Life {
  readonly number: number;
  readonly process: number;
  readonly beganMs: number;
  /** Since when its stores are being closed. */
  closingMs: number;
  endedMs: number;
}

/**
 * The conditions under which the documentation promises something: which processes live, which faults are in force and which were
 * lately, what servers have lost, and how their clocks were set. All invariants read them here.
 */
export class Conditions {
  readonly #facts: SetupFacts;
  readonly #lives: Life[];
  #livesSoFar = 0;
  /** What keeps every process from its store. */
  readonly #troubles: Span[] = [];
  /** What keeps one process from it, by its number. */
  readonly #troublesOf: Span[][];
  readonly #stallsOf: Span[][];
  readonly #losses: Span[] = [];
  /** While a server throws keys away. */
  readonly #evictions: Span[] = [];
  /** When the clock of a server was set. */
  readonly #clockSettings: number[] = [];
  #forwardMs = 0;
  #lastOverMs = Number.NEGATIVE_INFINITY;
  readonly #closers = new Map<number, Life>();
  readonly #backAfterMs: number;

  constructor(facts: SetupFacts, atMs: number) {
    this.#facts = facts;
    const { processes } = facts.setup;
    this.#lives = processes.map((_, process) => this.#begin(process, atMs));
    this.#troublesOf = processes.map(() => [{ fromMs: atMs, toMs: atMs }]);
    this.#stallsOf = processes.map(() => []);
    const { timeoutMs, hasTable } = facts.store;
    const givenUpMs = hasTable ? TIMEOUTS_OF_A_LOST_CALL * timeoutMs : 0;
    this.#backAfterMs = Math.max(BACK_AFTER_MS, givenUpMs) + 4 * facts.mostDelayMs;
  }

  /** How many processes there were until now. One that begins anew counts again. */
  get livesSoFar(): number {
    return this.#livesSoFar;
  }

  /** By how much more than the world's time the times of servers may have gone on since the beginning. */
  aheadMs(atMs: number): number {
    return this.#forwardMs + atMs * this.#facts.drift;
  }

  get hasSetClocks(): boolean {
    return this.#clockSettings.length > 0;
  }

  get hasLosses(): boolean {
    return this.#losses.length > 0 || this.#evictions.length > 0;
  }

  /** Whether there was any fault until now. */
  get hasFaults(): boolean {
    return this.#lastOverMs > Number.NEGATIVE_INFINITY;
  }

  /** How long the last fault has been over. Negative: it goes on. */
  sinceFaultsMs(atMs: number): number {
    return atMs - this.#lastOverMs;
  }

  /** How long after a fault decisions come from the store again, at the latest. */
  get backAfterMs(): number {
    return this.#backAfterMs;
  }

  /** Whether time is skipped from now on, because the run is over. */
  isResting(atMs: number): boolean {
    return atMs > Math.max(this.#facts.setup.lastsMs, this.#lastOverMs) + GOES_ON_MS;
  }

  lifeOf(process: number): Life {
    return this.#lives[process] as Life;
  }

  /** Whether something kept a process from its store between two moments, or so shortly before that it may still have an effect. */
  isTroubled(process: number, fromMs: number, toMs: number): boolean {
    const since = fromMs - this.#backAfterMs;
    return (
      touches(this.#troubles, since, toMs) ||
      touches(this.#troublesOf[process] as readonly Span[], since, toMs) ||
      (this.#facts.store.isMemory && touches(this.#stallsOf[process] as readonly Span[], since, toMs))
    );
  }

  /** The same for all processes. */
  isAnyTroubled(fromMs: number, toMs: number): boolean {
    const since = fromMs - this.#backAfterMs;
    return touches(this.#troubles, since, toMs) || this.#troublesOf.some((spans) => touches(spans, since, toMs));
  }

  /** How long a process stood still because of stalls that touch this time. */
  stalledMs(process: number, fromMs: number, toMs: number): number {
    let sum = 0;
    for (const span of this.#stallsOf[process] as readonly Span[]) {
      if (span.fromMs <= toMs && span.toMs >= fromMs) sum += span.toMs - span.fromMs;
    }
    return sum;
  }

  /**
   * How often servers have lost what they had acknowledged, between two moments. Infinity: nobody can say.
   *
   * @param lingersMs - how long after a loss units may be spent that were taken before it
   */
  losses(fromMs: number, toMs: number, lingersMs = 0): number {
    if (touches(this.#evictions, fromMs - lingersMs, toMs)) return Number.POSITIVE_INFINITY;
    let count = 0;
    for (const span of this.#losses) if (span.fromMs <= toMs && span.toMs + lingersMs >= fromMs) count += 1;
    return count;
  }

  /** When a clock of a server was set for the last time. */
  get lastSetMs(): number {
    return this.#clockSettings.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether a clock of a server was set between two moments. */
  isClockSet(fromMs: number, toMs: number): boolean {
    return this.#clockSettings.some((atMs) => atMs >= fromMs && atMs <= toMs);
  }

  note(observation: Observation): void {
    switch (observation.kind) {
      case 'fault':
        this.#noteFault(observation.fault);
        return;
      case 'call':
        this.#noteCall(observation);
        return;
      case 'answer':
        this.#noteAnswer(observation);
        return;
      default:
    }
  }

  #noteCall({ step, call, process, atMs }: CallBegan): void {
    if (step.call !== 'close') return;
    const life = this.lifeOf(process);
    life.closingMs = Math.min(life.closingMs, atMs);
    this.#closers.set(call, life);
  }

  #noteAnswer({ call, atMs }: CallEnded): void {
    const closed = this.#closers.get(call);
    if (closed) closed.endedMs = Math.min(closed.endedMs, atMs);
  }

  #noteFault(fault: FaultStep): void {
    const fromMs = fault.atMs;
    // A message that was sent with a lag may still be on its way.
    const lagMs = fault.fault === 'lag' ? fault.moreMs : 0;
    const toMs = fromMs + ('forMs' in fault ? fault.forMs : 0) + lagMs;
    const span = { fromMs, toMs };
    this.#lastOverMs = Math.max(this.#lastOverMs, toMs);
    switch (fault.fault) {
      case 'crash':
        this.lifeOf(fault.process).endedMs = Math.min(this.lifeOf(fault.process).endedMs, fromMs);
        return;
      case 'start':
        this.#start(fault.process, span);
        return;
      case 'stall':
        this.#stallsOf[fault.process]?.push(span);
        this.#troublesOf[fault.process]?.push(span);
        return;
      case 'cut':
      case 'lag':
        this.#troublesOf[fault.process]?.push(span);
        return;
      case 'set-clock':
        this.#clockSettings.push(fromMs);
        this.#forwardMs += Math.max(0, fault.byMs);
        this.#troubles.push(span);
        return;
      case 'freeze':
        this.#troubles.push(span);
        return;
      case 'restart':
        this.#troubles.push(span);
        if (fault.keeps === 'nothing') this.#losses.push(span);
        return;
      case 'fail-over':
        this.#troubles.push(span);
        this.#losses.push(span);
        return;
      case 'fill':
        this.#troubles.push(span);
        if (fault.policy === 'evict') this.#evictions.push(span);
        return;
      case 'flush':
      case 'lose-key':
        this.#losses.push(span);
        return;
      case 'forget-scripts':
    }
  }

  /** A process that lives goes on living. */
  #start(process: number, span: Span): void {
    if (this.lifeOf(process).endedMs > span.fromMs) return;
    this.#lives[process] = this.#begin(process, span.fromMs);
    this.#troublesOf[process]?.push(span);
  }

  #begin(process: number, beganMs: number): Life {
    this.#livesSoFar += 1;
    const never = Number.POSITIVE_INFINITY;
    return { number: this.#livesSoFar, process, beganMs, closingMs: never, endedMs: never };
  }
}

function touches(spans: readonly Span[], fromMs: number, toMs: number): boolean {
  for (const span of spans) if (span.fromMs <= toMs && span.toMs >= fromMs) return true;
  return false;
}
