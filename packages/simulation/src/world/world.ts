import { Chance, finished } from './chance.js';
import { type EventOwner, EventQueue, PHASE, type Phase, type WorldEvent } from './event-queue.js';

/** The world begins on 1 January 2026, so that its times look like times. */
export const BEGIN_MS = Date.UTC(2026, 0, 1);

const TURNS_IN_A_ROUND = 32;

/** Ten times as much as the longest tapes arrange, besides what processes do from time to time for hours: an event a millisecond. */
const MOST_EVENTS = 5_000_000;
const MOST_EVENTS_PER_MS = 1;

/**
 * Virtual time, in which nothing happens but what was arranged. Between two events, everything that waits only for its turn has run.
 * Times are milliseconds since the world began, with fractions.
 */
export class World {
  readonly chance: Chance;
  readonly #queue = new EventQueue();
  readonly #housekeeping = new EventQueue();
  readonly #seed: number;
  #nowMs = 0;
  #skippedMs = 0;
  #sequence = 0;
  #events = 0;
  #isStopped = false;
  #isTurnOver = false;
  #whenThrown: ((error: unknown) => void) | undefined;

  /** @param seed - of what chance decides; 0 for nothing */
  constructor(seed: number) {
    this.#seed = seed;
    this.chance = new Chance(seed);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** How much has happened, without housekeeping. */
  get events(): number {
    return this.#events;
  }

  /** How long nothing happens but housekeeping; Infinity if nothing else is arranged. */
  get quietMs(): number {
    const { first } = this.#queue;
    return first === undefined ? Number.POSITIVE_INFINITY : Math.max(0, first.atMs - this.#nowMs);
  }

  /**
   * Lets something happen after a while. Events of one owner and one moment keep their order; those of different owners come in an
   * order that chance decides.
   */
  after(ms: number, phase: Phase, run: () => void, owner?: EventOwner): WorldEvent {
    return this.at(this.#nowMs + ms, phase, run, owner);
  }

  at(atMs: number, phase: Phase, run: () => void, owner?: EventOwner): WorldEvent {
    const event = this.#eventAt(atMs, phase, run, owner);
    this.#queue.add(event);
    return event;
  }

  /** Like `after`, for what a process does from time to time and nobody sees. */
  afterAsHousekeeping(ms: number, run: () => void, owner: EventOwner): WorldEvent {
    const event = this.#eventAt(this.#nowMs + ms, PHASE.timers, run, owner);
    this.#housekeeping.add(event);
    return event;
  }

  #eventAt(atMs: number, phase: Phase, run: () => void, owner: EventOwner | undefined): WorldEvent {
    this.#sequence += 1;
    return {
      atMs,
      dueMs: atMs,
      phase,
      rank: this.#rankAt(atMs, owner),
      sequence: this.#sequence,
      owner,
      run,
      isOver: false,
    };
  }

  /** All events of one owner and one moment have the same rank. */
  #rankAt(atMs: number, owner: EventOwner | undefined): number {
    return owner === undefined || this.#seed === 0 ? 0 : rankOf(owner.name, atMs, this.#seed);
  }

  /** Lets time pass in which nobody runs, as if all machines were suspended. What was due meanwhile happens afterwards. */
  skip(ms: number): void {
    this.#nowMs += ms;
    this.#skippedMs += ms;
  }

  /** Has a function called with what an owner throws that nobody catches. Otherwise, and for anybody else, the run fails. */
  whenThrown(listener: (error: unknown) => void): void {
    this.#whenThrown = listener;
  }

  /** Has a turn of Node's event loop for what an event without an owner began in a process. */
  endTurn(): void {
    this.#isTurnOver = true;
  }

  /** Whether so much was arranged that nobody can expect an end. The run has stopped then. */
  get isEndless(): boolean {
    return this.#sequence > MOST_EVENTS + MOST_EVENTS_PER_MS * (this.#nowMs - this.#skippedMs);
  }

  /** Ends the run after the event that is happening. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Lets everything happen up to a moment, until `stop`, or until the run is endless. */
  run(untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      // Each event of a process has an immediate of Node. So what it leaves to ticks and promises runs after it, in Node's own order, and
      // before the next event.
      const turn = (): void => {
        if (isOver) return;
        try {
          if (this.#runUpToOne(untilMs)) return;
          resolve();
        } catch (error) {
          reject(error);
        }
        isOver = true;
      };
      // Node asks the operating system for news before each round of immediates. That takes longer than most events.
      const round = (): void => {
        if (isOver) return;
        for (let left = TURNS_IN_A_ROUND; left > 0; left -= 1) setImmediate(turn);
        setImmediate(round);
      };
      setImmediate(round);
    });
  }

  /** Lets things happen up to the first event of a process. Returns whether there was one. */
  #runUpToOne(untilMs: number): boolean {
    while (!this.#isStopped && !this.isEndless) {
      const queue = this.#nextQueue();
      const event = queue.first;
      if (event === undefined || event.atMs > untilMs) {
        this.#nowMs = Math.max(this.#nowMs, untilMs);
        return false;
      }
      queue.takeFirst();
      if (event.isOver || event.owner?.isAlive === false) continue;
      if (event.owner && event.owner.busyUntilMs > event.atMs) {
        event.atMs = event.owner.busyUntilMs;
        event.rank = this.#rankAt(event.atMs, event.owner);
        queue.add(event);
        continue;
      }
      this.#nowMs = Math.max(this.#nowMs, event.atMs);
      if (queue === this.#queue) this.#events += 1;
      event.isOver = true;
      if (event.owner === undefined) {
        event.run();
        if (!this.#isTurnOver) continue;
        this.#isTurnOver = false;
        return true;
      }
      event.owner.enter();
      this.#runIn(event);
      return true;
    }
    return false;
  }

  #runIn({ run }: WorldEvent): void {
    if (!this.#whenThrown) {
      run();
      return;
    }
    try {
      run();
    } catch (error) {
      this.#whenThrown(error);
    }
  }

  #nextQueue(): EventQueue {
    const housekeepingMs = this.#housekeeping.first?.atMs ?? Number.POSITIVE_INFINITY;
    return housekeepingMs < (this.#queue.first?.atMs ?? Number.POSITIVE_INFINITY) ? this.#housekeeping : this.#queue;
  }
}

function rankOf(name: string, atMs: number, seed: number): number {
  let bits = finished(Math.floor(atMs * 1000) ^ seed);
  for (let i = 0; i < name.length; i += 1) bits = finished(bits ^ name.charCodeAt(i));
  return bits;
}
