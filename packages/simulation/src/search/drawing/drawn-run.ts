import type { PolicySetup, Setup, Step, StoreSetup } from '../../tape/tape.js';
import type { Draws } from './draws.js';
import { spanOf, unitsOf } from './limits.js';
import { MOST_TENANTS } from './policies.js';

/** What a habit needs to know of a policy. */
export interface PolicyOutline {
  readonly policy: number;
  /** How many units the smallest limit admits at once, and the largest. */
  readonly fewest: number;
  readonly most: number;
  /** The longest time after which one of its limits has forgotten what was spent. */
  readonly comesBackMs: number;
  /** The shortest such time. */
  readonly soonMs: number;
  /** Whether calls take slots, which somebody has to free. */
  readonly takesSlots: boolean;
  /** Whether each subject has limits of its own alone. */
  readonly isBySubject: boolean;
  readonly variants: number;
}

/** The subjects that nobody else asks about begin here, and those that somebody makes up. */
const OWN_SUBJECTS = 20;
const MADE_UP_SUBJECTS = 100;

/**
 * What the habits of a run share: who there is, and when something interesting may happen. Times are not drawn evenly. Defects live
 * where two things happen in the same moment, or where one happens just before or after a window, a lease or a deadline ends.
 */
export class DrawnRun {
  readonly draws: Draws;
  readonly setup: Setup;
  readonly policies: readonly PolicyOutline[];
  /** The longest time after which a limit has forgotten what was spent. */
  readonly longestMs: number;
  /** How long a message is under way, there and back, to the server that is farthest away. */
  readonly tripMs: number;
  /** How many subjects most calls are about. */
  readonly #subjects: number;
  /** How long stores hold what they took, or wait before they report it. */
  readonly #leases: readonly number[];
  /** Times after which something ends. */
  readonly #notable: readonly number[];
  /** Moments at which something happens. */
  readonly #moments: number[] = [0];
  #names = 0;
  #own = OWN_SUBJECTS;
  #madeUp = MADE_UP_SUBJECTS;

  constructor(draws: Draws, setup: Setup) {
    this.draws = draws;
    this.setup = setup;
    this.policies = setup.policies.map(factsOf);
    const spans = setup.policies.flatMap(spansOf);
    this.longestMs = Math.max(...spans);
    this.tripMs = Math.ceil(
      2 * (setup.network.delayMs[1] + Math.max(0, ...setup.servers.map(({ farMs = 0 }) => farMs))),
    );
    this.#leases = leasesOf(setup.store);
    this.#notable = [...spans, ...this.#leases, ...this.#leases, ...timeoutsOf(setup.store), 60_000];
    this.#subjects = draws.weighted([[4, 1] as const, [3, 2] as const, [1, 3] as const, [1, MOST_TENANTS] as const]);
  }

  /** Returns a number that no other step has. */
  name(): number {
    this.#names += 1;
    return this.#names;
  }

  policy(): PolicyOutline {
    return this.draws.of(this.policies);
  }

  process(): number {
    return this.draws.whole(0, this.setup.processes.length - 1);
  }

  /** Returns one process or several, in any order. */
  someProcesses(): readonly number[] {
    const all = this.setup.processes.map((_, process) => process);
    return this.draws.happens(0.4) ? [this.process()] : this.draws.some(all, 0.7);
  }

  subject(): number {
    return this.draws.whole(0, this.#subjects - 1);
  }

  /** Returns a subject that no other habit uses. */
  ownSubject(): number {
    this.#own += 1;
    return this.#own - 1;
  }

  madeUpSubject(): number {
    this.#madeUp += 1;
    return this.#madeUp - 1;
  }

  /** Returns what a request costs: mostly one unit, sometimes all there is, or more. */
  cost({ fewest, most }: PolicyOutline): number {
    const { draws } = this;
    return draws.weighted<() => number>([
      [60, () => 1],
      [16, () => draws.scaled(1, Math.max(2, fewest))],
      [8, () => draws.whole(Math.max(1, fewest - 1), fewest + 1)],
      [8, () => draws.scaled(1, Math.max(2, most))],
      [4, () => most + draws.whole(0, 1)],
      [4, () => 0],
    ])();
  }

  /** Returns how long something takes, or how long nobody does anything. */
  gap(): number {
    const { draws } = this;
    return draws.weighted<() => number>([
      [15, () => 0],
      [45, () => draws.scaled(1, this.longestMs)],
      [28, () => Math.max(0, draws.of(this.#notable) + draws.whole(-1, 1))],
      [12, () => Math.max(0, Math.round(draws.of(this.#notable) / draws.whole(2, 4)) + draws.whole(-1, 1))],
    ])();
  }

  /** Returns how often something comes again, such as once in a lease or a window, or some times. */
  interval(): number {
    const { draws } = this;
    const ofMs = draws.of(this.#leases.length > 0 && draws.happens(0.7) ? this.#leases : this.#notable);
    return Math.max(1, draws.happens(0.2) ? ofMs + draws.whole(-1, 5) : Math.round(ofMs / (1 + 3 * draws.part() ** 2)));
  }

  /** Returns a short time between the calls of somebody who is at work. */
  pause(): number {
    return this.draws.happens(0.2) ? 0 : this.draws.scaled(1, Math.max(2, this.longestMs / 10));
  }

  /** Returns when something begins: at any time, or near another moment of the run. */
  moment(): number {
    const { draws } = this;
    const { lastsMs } = this.setup;
    const atMs = draws.weighted<() => number>([
      [40, () => draws.whole(0, Math.floor(lastsMs * 0.8))],
      [20, () => draws.of(this.#moments)],
      [25, () => draws.of(this.#moments) + this.gap()],
      // The edges of windows that begin with the clock.
      [15, () => this.#edge() + draws.whole(-2, 2)],
    ])();
    return atMs < 0 || atMs > lastsMs ? draws.whole(0, Math.floor(lastsMs / 2)) : atMs;
  }

  /** The same for something that takes so long, so that the run sees its end. */
  momentBefore(lengthMs: number): number {
    const atMs = this.moment();
    const lastMs = Math.max(0, this.setup.lastsMs - Math.ceil(lengthMs));
    return atMs <= lastMs ? atMs : this.draws.whole(0, lastMs);
  }

  #edge(): number {
    const spanMs = this.draws.of(this.#notable);
    return spanMs * this.draws.whole(1, Math.max(1, Math.floor(this.setup.lastsMs / spanMs)));
  }

  /** Remembers the moments of these steps, so that others happen near them. */
  remember(steps: readonly Step[]): void {
    for (const { atMs } of steps) if (this.draws.happens(0.3)) this.#moments.push(atMs);
  }
}

function factsOf({ variants }: PolicySetup, policy: number): PolicyOutline {
  const limits = variants.flat();
  const units = limits.map(({ limit }) => unitsOf(limit));
  const spans = limits.map(({ limit }) => spanOf(limit));
  return {
    policy,
    fewest: Math.max(1, Math.min(...units)),
    most: Math.max(1, ...units),
    comesBackMs: Math.max(1, ...spans),
    soonMs: Math.max(1, Math.min(...spans)),
    takesSlots: limits.some(({ limit }) => limit.algorithm === 'concurrency'),
    isBySubject: limits.every(({ by, guarantee }) => by === 'subject' && guarantee === undefined),
    variants: variants.length,
  };
}

function spansOf({ variants }: PolicySetup): readonly number[] {
  return variants.flat().flatMap(({ limit }) => {
    const blockMs = 'blockMs' in limit && limit.blockMs !== undefined ? [limit.blockMs] : [];
    return [spanOf(limit), ...blockMs];
  });
}

function leasesOf(store: StoreSetup): readonly number[] {
  switch (store.kind) {
    case 'sharded':
      return leasesOf(store.nodes[0] as StoreSetup);
    case 'leased':
      return [store.leaseMs];
    case 'synced':
      return [store.syncMs];
    default:
      return [];
  }
}

function timeoutsOf(store: StoreSetup): readonly number[] {
  if (store.kind === 'sharded') return timeoutsOf(store.nodes[0] as StoreSetup);
  if ('of' in store) return timeoutsOf(store.of);
  return 'timeoutMs' in store ? [store.timeoutMs] : [];
}
