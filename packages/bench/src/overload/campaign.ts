import { machineName } from '../machine.js';
import { HANDLERS, type HandlerName } from './handlers.js';
import { type Protection, REFUSERS } from './protection.js';
import { openQuota, type Quota } from './quota.js';
import type { RefusalCost, Results, Run } from './results.js';
import type { HostName } from './servers/index.js';
import { Trials } from './trial.js';

/** What is measured, and for how long. */
export interface CampaignOptions {
  readonly hosts: readonly HostName[];
  readonly handlers: readonly HandlerName[];
  readonly protections: readonly Protection[];
  /** The frameworks that are measured again with half a processor. */
  readonly heldHosts: readonly HostName[];
  /** In times the capacity. All loads follow each other: the least one first. */
  readonly loads: readonly number[];
  /** The same for what stands beside shedLoad, on the framework that all of it knows. */
  readonly peerLoads: readonly number[];
  /** How many times shedLoad is measured. From one time to the next, a server near its capacity does better or worse by a tenth. */
  readonly runs: number;
  /** In how many of them the peers are measured, too. */
  readonly peerRuns: number;
  /** Times all durations. */
  readonly length: number;
}

/** All peers know it. They are measured without a quota. */
const PEER_HOST = 'Fastify';

interface Server {
  readonly host: HostName;
  readonly handler: HandlerName;
  readonly quota: Quota | undefined;
}

/** What is measured in one go. */
interface Piece {
  readonly name: string;
  measure(): Promise<readonly (Run | RefusalCost)[]>;
}

/** What a piece has given, by the name of the piece. */
type Pieces = Readonly<Record<string, readonly (Run | RefusalCost)[]>>;

/** A campaign in pieces, so that it can go on where it was stopped. All servers are measured once before any is measured again. */
export class Campaign {
  readonly #options: CampaignOptions;
  readonly #trials: Trials;
  readonly #quota: Quota | undefined;
  readonly pieces: readonly Piece[];

  private constructor(options: CampaignOptions, trials: Trials, quota: Quota | undefined) {
    this.#options = options;
    this.#trials = trials;
    this.#quota = quota;
    this.pieces = Array.from({ length: options.runs }, (_, run) => this.#piecesOf(run)).flat();
  }

  static async open(options: CampaignOptions): Promise<Campaign> {
    const quota = options.heldHosts.length > 0 ? openQuota() : undefined;
    return new Campaign(options, await Trials.open(options.length), quota);
  }

  async close(): Promise<void> {
    await this.#trials.close();
    await this.#quota?.close();
  }

  #piecesOf(run: number): Piece[] {
    const { hosts, handlers, heldHosts, protections, peerRuns } = this.#options;
    const servers = [
      ...hosts.flatMap((host) => handlers.map((handler) => ({ host, handler, quota: undefined }))),
      ...heldHosts.flatMap((host) => handlers.map((handler) => ({ host, handler, quota: this.#quota }))),
    ];
    const peers = run < peerRuns ? servers.filter(({ host, quota }) => host === PEER_HOST && !quota) : [];
    return [
      ...hosts.map((host) => ({ name: `${run} ${host} refusals`, measure: () => this.#measureCosts(run, host) })),
      ...servers.map((server) => this.#pieceOf(run, server, 'shedLoad')),
      ...peers.flatMap((server) =>
        protections.filter((name) => name !== 'shedLoad').map((protection) => this.#pieceOf(run, server, protection)),
      ),
    ];
  }

  #pieceOf(run: number, { host, handler, quota }: Server, protection: Protection): Piece {
    const { loads, peerLoads } = this.#options;
    const measured = protection === 'shedLoad' ? loads : peerLoads;
    return {
      name: [run, host, handler, protection, ...(quota ? ['held'] : [])].join(' '),
      measure: async () => {
        const trials = await this.#trials.measure({ host, handler, front: protection }, measured, quota);
        const points = trials.map((trial, i) => ({ times: measured[i] ?? Number.NaN, ...trial }));
        return [{ run, host, handler, protection, ...(quota && { quota: quota.by }), points }];
      },
    };
  }

  async #measureCosts(run: number, host: HostName): Promise<RefusalCost[]> {
    const [ownMs = Number.NaN, shedLoadMs = Number.NaN] = await this.#trials.costsOf(host, REFUSERS);
    return [{ run, host, ownMs, shedLoadMs }];
  }
}

/** Measures all of it, and says what it has measured. */
export async function measureAll(options: CampaignOptions, say: (result: Run | RefusalCost) => void): Promise<Results> {
  const campaign = await Campaign.open(options);
  try {
    const pieces: Record<string, readonly (Run | RefusalCost)[]> = {};
    for (const piece of campaign.pieces) {
      const results = await piece.measure();
      pieces[piece.name] = results;
      for (const result of results) say(result);
    }
    return resultsOf(pieces);
  } finally {
    await campaign.close();
  }
}

export function resultsOf(pieces: Pieces): Results {
  const all = Object.values(pieces).flat();
  return {
    date: new Date().toISOString(),
    machine: machineName(),
    runs: all.filter((result): result is Run => 'points' in result),
    costs: all.filter((result): result is RefusalCost => 'ownMs' in result),
  };
}

/** All of it. It takes about an hour and a quarter. */
export const FULL: CampaignOptions = {
  hosts: ['Express', 'Fastify', 'Nest'],
  handlers: Object.keys(HANDLERS) as HandlerName[],
  protections: ['none', '@fastify/under-pressure', 'toobusy-js', 'shedLoad'],
  heldHosts: ['Fastify'],
  loads: [0.5, 0.75, 0.9, 1, 1.5, 2, 3, 4],
  peerLoads: [1, 2, 3],
  runs: 5,
  peerRuns: 1,
  length: 1,
};
