import { Redis } from 'ioredis';
import type { ChildOptions, Worker } from './child-process.js';
import type { Load } from './concurrent-callers.js';
import type { Cores } from './cores.js';
import { RedisServer } from './redis-server.js';
import { type WorkOfDecision, workOf, workOfDecision } from './redis-work.js';
import { warmRounds } from './rounds.js';
import { type Scale, warmUpMsOfCallers } from './scale.js';
import type { RedisRound } from './tasks/redis-load.js';
import { startWorker } from './worker.js';

type LoadWorker = Worker<'redis-load'>;

/** What a round of one contender gave. */
export type RedisResult = Load & WorkOfDecision;

export interface RedisTrialOptions {
  readonly contenders: Iterable<string>;
  /** Where the server runs, and where its callers run; absent: wherever the scheduler puts them. */
  readonly cores?: Cores | undefined;
  /** See `RedisLoadOptions`. */
  readonly windowMs?: number;
  /** See `ChildOptions`. */
  readonly program?: string;
}

/** A Redis, and a process for each contender which asks it. */
export class RedisTrial {
  readonly #scale: Scale;
  readonly #server: RedisServer;
  readonly #client: Redis;
  readonly #workers = new Map<string, LoadWorker>();

  private constructor(scale: Scale, server: RedisServer) {
    this.#scale = scale;
    this.#server = server;
    this.#client = new Redis(server.port, '127.0.0.1');
  }

  static async start(scale: Scale, { contenders, cores, windowMs, program }: RedisTrialOptions): Promise<RedisTrial> {
    const trial = new RedisTrial(scale, await RedisServer.start(cores?.server));
    try {
      await trial.#client.ping();
      const { port } = trial.#server;
      const childOptions: ChildOptions = { ...(cores && { core: cores.callers }), ...(program && { program }) };
      for (const contender of contenders) {
        const options = { contender, port, ...(windowMs !== undefined && { windowMs }) };
        const worker = await startWorker(scale, 'redis-load', options, childOptions);
        trial.#workers.set(contender, worker);
      }
      return trial;
    } catch (error) {
      await trial.end();
      throw error;
    }
  }

  /** Has all contenders take rounds in turn, after they have warmed up. */
  measure(round: RedisRound): Promise<ReadonlyMap<string, readonly RedisResult[]>> {
    const subjects = new Map([...this.#workers.keys()].map((name) => [name, () => this.round(name, round)]));
    return warmRounds(warmUpMsOfCallers(this.#scale, round.callers), this.#scale.rounds, subjects);
  }

  async end(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.end()));
    this.#client.disconnect();
    await this.#server.stop();
  }

  /** A round of one contender. */
  async round(contender: string, round: RedisRound): Promise<RedisResult> {
    const worker = this.#workers.get(contender) as LoadWorker;
    const before = await workOf(this.#client);
    const load = await worker.ask('run', round);
    return { ...load, ...workOfDecision(before, await workOf(this.#client), load.decisions) };
  }
}
