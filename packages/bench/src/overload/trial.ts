import { setTimeout as pause } from 'node:timers/promises';
import { Child } from '../child-process.js';
import { type Cores, twoCores } from '../cores.js';
import { type HandlerName, isBoundByProcessor } from './handlers.js';
import type { Outcome } from './outcome.js';
import type { Front, Refuser } from './protection.js';
import type { Quota } from './quota.js';
import type { HostName } from './servers/index.js';

/** A server, and what stands in front of it. */
interface Served {
  readonly host: HostName;
  readonly handler: HandlerName;
  readonly front: Front;
}

/** How a server did at one load. */
export interface Trial {
  /** Of the bare server, in requests per second, with a core as fast as it was during the load. */
  readonly capacity: number;
  /** What the load was indeed, in times this capacity. */
  readonly actualTimes: number;
  /**
   * The good answers, of the capacity. Where the processor is short, it is the part of the time that went into the work of requests with a
   * good answer, of the same part of the bare server. The speed of the core makes no difference to it.
   */
  readonly kept: number;
  readonly outcome: Outcome;
  /** See `LoadResult`. */
  readonly lateP99Ms: number;
  readonly clientProcessor: number;
}

/** So many clients keep a server busy without making its requests wait for long. */
const CLIENTS: Readonly<Record<HandlerName, number>> = { sync: 8, mixed: 24, downstream: 8 };

/** As many as balancers and browsers hold open. */
const CONNECTIONS = 2_000;

/**
 * Before each measurement. The code of a request takes up to ten times as long before it is compiled, which is after thousands of
 * requests. So a server first answers as many as it can without its work, and then refuses as many as it can, if it knows how.
 */
const WARM_UP = { answering: { clients: 32, seconds: 1 }, refusing: { clients: 300, seconds: 1.2 } };

/**
 * Of one load. It comes out of nothing, and what is counted is a load that stays: before it can refuse, a server has to see that it is
 * overloaded. The simulator plays this first second.
 */
const LOAD = { seconds: 2.6, settleSeconds: 1 };

/**
 * Up to the capacity, a load is tried again if it was another one than it should have been by more than this part, because the core became
 * faster or slower. The best try counts. Above, it makes no difference.
 */
const MOST_OFF = 0.04;
const TRIES = 3;

/** Of one measurement of the capacity. */
const CAPACITY = { seconds: 0.7, settleSeconds: 0.1 };

/** Of servers that only refuse, in turn. With so many clients, each turn of the event loop reads several requests. */
const REFUSED = { clients: 32, seconds: 0.4, rounds: 6 };

interface Time {
  readonly seconds: number;
  readonly settleSeconds: number;
}

interface Server {
  readonly process: Child<'overload-server'>;
  readonly port: number;
}

/**
 * Measures servers, each of which is a new process, from another process. All servers share a core, and the clients and what is behind
 * the servers have the other one. What is compared with each other is measured in turns of a second, as the speed of a shared machine
 * changes within seconds.
 */
export class Trials {
  readonly #client: Child<'overload-client'>;
  readonly #cores: Cores | undefined;
  readonly #stepsPerMs: number;
  readonly #length: number;
  #seed = 1;

  private constructor(
    client: Child<'overload-client'>,
    cores: Cores | undefined,
    { stepsPerMs, length }: { stepsPerMs: number; length: number },
  ) {
    this.#client = client;
    this.#cores = cores;
    this.#stepsPerMs = stepsPerMs;
    this.#length = length;
  }

  /** @param length - times the duration of everything. */
  static async open(length: number): Promise<Trials> {
    const cores = await twoCores();
    const client = await Child.start('overload-client', {}, cores && { core: cores.callers });
    return new Trials(client, cores, { stepsPerMs: await client.ask('stepsPerMs'), length });
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** Measures a server under one load after another, and the bare server before and after each of them. */
  measure(served: Served, loads: readonly number[], quota: Quota | undefined): Promise<Trial[]> {
    // Under a quota, the time of the work includes that in which the server stands still.
    const isByWork = isBoundByProcessor(served.handler) && quota === undefined;
    return this.#serve([{ ...served, front: 'none' }, served], quota, async ([bare, server]) => {
      const capacityOf = (): Promise<Measured<number>> =>
        measured(bare, () => this.#answersPerSecond(bare, CLIENTS[served.handler], CAPACITY, 200));
      const trials: Trial[] = [];
      let before = await capacityOf();
      for (const times of loads) {
        const tried: Trial[] = [];
        const offBy = ({ actualTimes }: Trial): number => Math.abs(actualTimes / times - 1);
        do {
          const perSecond = times * before.value;
          const load = await measured(server, () => this.#load(server, perSecond), this.#scaled(LOAD).settleSeconds);
          await untilIdle(server.process);
          const after = await capacityOf();
          tried.push(trialOf(load, [before, after], { perSecond, isByWork }));
          before = after;
        } while (times <= 1 && tried.length < TRIES && Math.min(...tried.map(offBy)) > MOST_OFF);
        trials.push(tried.reduce((best, one) => (offBy(one) < offBy(best) ? one : best)));
      }
      return trials;
    });
  }

  async #load({ port }: Server, perSecond: number): Promise<Load> {
    this.#seed += 1;
    const phases = [{ perSecond, ...this.#scaled(LOAD) }];
    const { outcomes, lateP99Ms, processor } = await this.#client.ask('openLoad', { port, phases, seed: this.#seed });
    const [outcome] = outcomes;
    if (!outcome) throw new Error('the load has no outcome');
    return { outcome, lateP99Ms, clientProcessor: processor };
  }

  /** Measures the processor time of refusals, in milliseconds, all in turns. */
  costsOf(host: HostName, fronts: readonly Refuser[]): Promise<number[]> {
    const served = fronts.map((front) => ({ host, handler: 'sync', front }) as const);
    return this.#serve(served, undefined, async (servers) => {
      const sums = servers.map(() => ({ processorMs: 0, requests: 0 }));
      for (let round = 0; round < REFUSED.rounds; round += 1) {
        for (const [i, server] of servers.entries()) {
          const before = await server.process.ask('usage');
          await this.#answersPerSecond(server, REFUSED.clients, { ...REFUSED, settleSeconds: 0 }, 503);
          const after = await server.process.ask('usage');
          const sum = sums[i] as (typeof sums)[number];
          sum.processorMs += after.processorMs - before.processorMs;
          sum.requests += after.requests - before.requests;
        }
      }
      return sums.map(({ processorMs, requests }) => processorMs / requests);
    });
  }

  /** Starts servers and what is behind them, and warms them. */
  async #serve<T>(
    all: readonly Served[],
    quota: Quota | undefined,
    use: (servers: [Server, Server]) => Promise<T>,
  ): Promise<T> {
    const cores = this.#cores;
    const backend = await Child.start('overload-backend', {}, cores && { core: cores.callers });
    const servers: Server[] = [];
    const releases: (() => void)[] = [];
    try {
      const backendPort = await backend.ask('port');
      for (const served of all) {
        const process = await Child.start(
          'overload-server',
          { ...served, backendPort },
          cores && { core: cores.server },
        );
        const server = { process, port: await process.ask('port') };
        servers.push(server);
        await this.#client.ask('connect', { port: server.port, connections: CONNECTIONS });
        await this.#warmUp(server);
        await untilIdle(process);
        if (quota) releases.push(quota.hold(await process.ask('pid')));
      }
      return await use(servers as [Server, Server]);
    } finally {
      for (const release of releases) release();
      for (const { process, port } of servers) {
        await this.#client.ask('disconnect', port);
        await process.end();
      }
      await backend.end();
    }
  }

  async #warmUp(server: Server): Promise<void> {
    const { answering, refusing } = WARM_UP;
    await this.#answersPerSecond(server, answering.clients, { ...answering, settleSeconds: 0 });
    await server.process.ask('setPace', this.#stepsPerMs);
    await this.#answersPerSecond(server, refusing.clients, { ...refusing, settleSeconds: 0 });
  }

  #answersPerSecond({ port }: Server, clients: number, time: Time, status?: 200 | 503): Promise<number> {
    return this.#client.ask('closedLoad', { port, clients, ...this.#scaled(time), status });
  }

  #scaled({ seconds, settleSeconds }: Time): Time {
    return { seconds: seconds * this.#length, settleSeconds: settleSeconds * this.#length };
  }
}

type Load = Pick<Trial, 'outcome' | 'lateP99Ms' | 'clientProcessor'>;

/** What was measured, how fast the server did its work meanwhile, and in which part of the time. */
interface Measured<T> {
  readonly value: T;
  readonly msPerStep: number;
  readonly workPart: number;
}

/**
 * The speed of a core of a shared machine changes by a third within seconds: others take a part of it, and of what it shares with them.
 * So the work is timed by the server, which does it in steps.
 */
async function measured<T>({ process }: Server, measure: () => Promise<T>, settleSeconds = 0): Promise<Measured<T>> {
  const measuring = measure();
  await Promise.race([measuring, pause(1000 * settleSeconds)]);
  const { work: before } = await process.ask('usage');
  const startMs = performance.now();
  const value = await measuring;
  const forMs = performance.now() - startMs;
  const { work: after } = await process.ask('usage');
  const workMs = after.ms - before.ms;
  return { value, msPerStep: workMs / (after.steps - before.steps), workPart: workMs / forMs };
}

function trialOf(
  load: Measured<Load>,
  bare: readonly Measured<number>[],
  { perSecond, isByWork }: { perSecond: number; isByWork: boolean },
): Trial {
  const speedOf = ({ msPerStep }: Measured<number>): number => (isByWork ? msPerStep / load.msPerStep : 1);
  const capacity = mean(bare.map((one) => one.value * speedOf(one)));
  const { good, shed, goodPerSecond } = load.value.outcome;
  const workKept = (load.workPart / mean(bare.map(({ workPart }) => workPart))) * (shed < 1 ? good / (1 - shed) : 0);
  return {
    ...{ capacity, actualTimes: perSecond / capacity, kept: isByWork ? workKept : goodPerSecond / capacity },
    ...load.value,
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const LOOK_MS = 100;
/** A server without protection works for seconds on what nobody waits for any more. */
const MOST_LOOKS = 100;

/** Waits until a server has nothing to do: what it still does would take the processor from the next one. */
async function untilIdle(server: Child<'overload-server'>): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const { idleMs } = await server.ask('usage');
    await pause(LOOK_MS);
    if ((await server.ask('usage')).idleMs - idleMs > LOOK_MS / 4) return;
  }
}
