import { Child } from '../child-process.js';
import type { HandlerName } from './handlers.js';
import type { LoadResult } from './open-load.js';
import type { Protection } from './protection.js';
import type { Quota } from './quota.js';
import type { HostName } from './servers/index.js';

/** A server, and what stands in front of it. */
export interface Subject {
  readonly host: HostName;
  readonly handler: HandlerName;
  readonly protection: Protection;
}

/** A stretch of time, by the capacity of the bare server. */
export interface Stretch {
  readonly times: number;
  readonly seconds: number;
  readonly settleSeconds: number;
}

/** So many clients keep a server busy without making its requests wait for long. */
const CLIENTS: Readonly<Record<HandlerName, number>> = { sync: 8, mixed: 24, downstream: 8 };

/** As many as balancers and browsers hold open. */
const CONNECTIONS = 2_000;

/** Before each measurement, so that the code is compiled. */
const WARM_UP = { times: 0.5, seconds: 1 };

/** Measures servers, each of which is a new process, from another process. */
export class Trials {
  readonly #client: Child<'overload-client'>;
  readonly #stepsPerMs: number;
  readonly #warmUp: Stretch;
  #seed = 1;

  private constructor(client: Child<'overload-client'>, stepsPerMs: number, length: number) {
    this.#client = client;
    this.#stepsPerMs = stepsPerMs;
    this.#warmUp = { times: WARM_UP.times, seconds: WARM_UP.seconds * length, settleSeconds: 0 };
  }

  /** @param length - times the duration of each warm-up. */
  static async open(length: number): Promise<Trials> {
    const client = await Child.start('overload-client', {});
    return new Trials(client, await client.ask('stepsPerMs'), length);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** Measures how many requests per second the bare server answers. */
  capacityOf(host: HostName, handler: HandlerName, seconds: number, quota?: Quota): Promise<number> {
    return this.#serve({ host, handler, protection: 'none' }, quota, (port) =>
      this.#client.ask('closedLoad', {
        port,
        clients: CLIENTS[handler],
        seconds: seconds + this.#warmUp.seconds,
        settleSeconds: this.#warmUp.seconds,
      }),
    );
  }

  /** Measures a server under loads which follow each other without a break. */
  async measure(subject: Subject, capacity: number, stretches: readonly Stretch[], quota?: Quota): Promise<LoadResult> {
    this.#seed += 1;
    const phases = [this.#warmUp, ...stretches].map(({ times, ...rest }) => ({ perSecond: times * capacity, ...rest }));
    const result = await this.#serve(subject, quota, (port) =>
      this.#client.ask('openLoad', { port, phases, seed: this.#seed, connections: CONNECTIONS }),
    );
    return { ...result, outcomes: result.outcomes.slice(1) };
  }

  /** Starts a server and what is behind it. */
  async #serve<T>(subject: Subject, quota: Quota | undefined, use: (port: number) => Promise<T>): Promise<T> {
    const backend = await Child.start('overload-backend', {});
    try {
      const options = { ...subject, stepsPerMs: this.#stepsPerMs, backendPort: await backend.ask('port') };
      const server = await Child.start('overload-server', options);
      const release = quota?.hold(await server.ask('pid'));
      try {
        return await use(await server.ask('port'));
      } finally {
        release?.();
        await server.end();
      }
    } finally {
      await backend.end();
    }
  }
}
