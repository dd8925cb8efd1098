import { machineName } from '../machine.js';
import { HANDLERS, type HandlerName } from './handlers.js';
import type { Protection } from './protection.js';
import { openQuota, type Quota } from './quota.js';
import type { Point, Results, Row } from './results.js';
import { HOSTS, type HostName } from './servers/index.js';
import { type Stretch, Trials } from './trial.js';

/** What is measured, and for how long. */
export interface CampaignOptions {
  readonly hosts: readonly HostName[];
  readonly handlers: readonly HandlerName[];
  readonly protections: readonly Protection[];
  /** The frameworks that are measured again with half a processor. */
  readonly heldHosts: readonly HostName[];
  /** The handlers that are measured under many loads, on Fastify, which all peers know. */
  readonly swept: readonly HandlerName[];
  /** How many times they are. From one time to the next, a server near its capacity does better or worse by a tenth. */
  readonly sweeps: number;
  /** Times all durations. */
  readonly length: number;
}

const ONCE: Stretch = { times: 1, seconds: 2.5, settleSeconds: 0.5 };
const THRICE: Stretch = { times: 3, seconds: 4.5, settleSeconds: 1.2 };
const AFTERWARDS: Stretch = { times: 0.5, seconds: 2.5, settleSeconds: 0.8 };

const SWEPT_HOST = 'Fastify';

/** Loads that follow each other have one server. One which may leave it with a queue has a server of its own. */
const SWEEP: readonly (readonly Stretch[])[] = [
  [0.25, 0.5, 0.75, 1].map((times) => ({ times, seconds: 1.5, settleSeconds: 0.3 })),
  ...[1.5, 2, 3, 4].map((times) => [{ times, seconds: 2.4, settleSeconds: 0.8 }]),
];

const CAPACITY_SECONDS = 2;

/** Measures all, one after another, and says what it has measured. */
export async function measureAll(options: CampaignOptions, say: (result: Row | Point) => void): Promise<Results> {
  const trials = await Trials.open(options.length);
  const campaign = new Campaign(trials, options, say);
  try {
    for (const host of options.hosts) {
      for (const handler of options.handlers) await campaign.compare(host, handler);
    }
    if (options.heldHosts.length > 0) await campaign.compareHeld();
    return campaign.results();
  } finally {
    await trials.close();
  }
}

class Campaign {
  readonly #trials: Trials;
  readonly #options: CampaignOptions;
  readonly #say: (result: Row | Point) => void;
  readonly #rows: Row[] = [];
  readonly #points: Point[] = [];
  readonly #date = new Date().toISOString();

  constructor(trials: Trials, options: CampaignOptions, say: (result: Row | Point) => void) {
    this.#trials = trials;
    this.#options = options;
    this.#say = say;
  }

  results(): Results {
    return { date: this.#date, machine: machineName(), rows: this.#rows, points: this.#points };
  }

  async compareHeld(): Promise<void> {
    const quota = openQuota();
    try {
      for (const host of this.#options.heldHosts) {
        for (const handler of this.#options.handlers) await this.compare(host, handler, quota);
      }
    } finally {
      await quota.close();
    }
  }

  /** Measures a server with every protection. */
  async compare(host: HostName, handler: HandlerName, quota?: Quota): Promise<void> {
    const capacity = await this.#trials.capacityOf(host, handler, CAPACITY_SECONDS * this.#options.length, quota);
    const protections = this.#options.protections.filter((name) =>
      HOSTS[host].protections.some((known) => known === name),
    );
    for (const protection of protections) {
      const subject = { host, handler, protection };
      const { outcomes, ...generator } = await this.#measure(subject, capacity, [ONCE, THRICE, AFTERWARDS], quota);
      const [once, thrice, afterwards] = outcomes;
      if (!once || !thrice || !afterwards) throw new Error('a stretch has no outcome');
      this.#keep(this.#rows, {
        ...subject,
        ...(quota && { quota: quota.by }),
        ...{ capacity, once, thrice, afterwards, ...generator },
      });
    }
    if (quota || host !== SWEPT_HOST || !this.#options.swept.includes(handler)) return;
    // Each time all protections in turn, so that whatever else the machine does meets them alike.
    for (let sweep = 0; sweep < this.#options.sweeps; sweep += 1) {
      for (const protection of protections) await this.#sweep({ host, handler, protection }, capacity);
    }
  }

  async #sweep(subject: Parameters<Trials['measure']>[0], capacity: number): Promise<void> {
    for (const stretches of SWEEP) {
      const { outcomes } = await this.#measure(subject, capacity, stretches);
      for (const [i, outcome] of outcomes.entries()) {
        const times = stretches[i]?.times ?? Number.NaN;
        this.#keep(this.#points, { ...subject, capacity, times, outcome });
      }
    }
  }

  #measure(subject: Parameters<Trials['measure']>[0], capacity: number, stretches: readonly Stretch[], quota?: Quota) {
    const { length } = this.#options;
    const scaled = stretches.map(({ times, seconds, settleSeconds }) => ({
      times,
      seconds: seconds * length,
      settleSeconds: settleSeconds * length,
    }));
    return this.#trials.measure(subject, capacity, scaled, quota);
  }

  #keep<T extends Row | Point>(list: T[], result: T): void {
    list.push(result);
    this.#say(result);
  }
}

/** All of it. It takes about 30 minutes. */
export const FULL: CampaignOptions = {
  hosts: ['Express', 'Fastify', 'Nest'],
  handlers: Object.keys(HANDLERS) as HandlerName[],
  protections: ['none', '@fastify/under-pressure', 'toobusy-js', 'shedLoad'],
  heldHosts: ['Fastify'],
  swept: ['sync', 'downstream'],
  sweeps: 5,
  length: 1,
};
