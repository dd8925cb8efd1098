import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Checker } from './checker.js';
import { MODES, type Mode, type ModeName, type ProcessName, QUOTA } from './modes.js';

/** Whom to ask. */
export interface Target {
  readonly name: ProcessName;
  readonly port: number;
}

/** A burst has at most so many requests: twice what a limit admits. */
const LARGEST_BURST = 2 * QUOTA;
const MEAN_BURST = (LARGEST_BURST + 1) / 2;

/** Keys of a mode that come again and again, the first of them most often. All others come once. */
const USUAL_KEYS = 3;
const ONCE_PART = 0.1;

/** A server that has not answered by then has lost the request. */
const HUNG_MS = 10_000;

/** So many connections of a burst to each server. */
const CONNECTIONS = 8;

const names = Object.keys(MODES) as ModeName[];

/** The answers so far, by what they said. */
export interface Answers {
  admitted: number;
  refused: number;
  /** No store answered, and the policy refuses then. */
  unavailable: number;
}

/** Sends bursts of requests about the keys of all modes, and shows each answer to the checker. */
export class Load {
  readonly answers: Answers = { admitted: 0, refused: 0, unavailable: 0 };
  readonly failures: string[] = [];
  slowestMs = 0;
  readonly #targets: readonly Target[];
  readonly #checker: Checker;
  readonly #random: () => number;
  #once = 0;

  constructor(targets: readonly Target[], checker: Checker, random: () => number) {
    this.#targets = targets;
    this.#checker = checker;
    this.#random = random;
  }

  /** Sends so many requests a second, in bursts, until it is stopped. */
  async run(perSecond: number, isOver: () => boolean): Promise<void> {
    const underWay = new Set<Promise<unknown>>();
    while (!isOver()) {
      const burst = this.burst(this.#pick(names), this.#key(), Math.ceil(this.#random() * LARGEST_BURST));
      underWay.add(burst);
      void burst.finally(() => underWay.delete(burst));
      await pause((-Math.log(1 - this.#random()) * MEAN_BURST * 1000) / perSecond);
    }
    await Promise.all(underWay);
  }

  /** Sends requests about one key to all processes of a mode at once, and resolves with how many were admitted by each. */
  async burst(name: ModeName, key: string, size: number): Promise<readonly number[]> {
    const { processes, countsIn } = MODES[name] as Mode;
    const targets = this.#targets.filter((target) => processes.includes(target.name));
    const agents = targets.map(() => new Agent({ keepAlive: true, maxSockets: CONNECTIONS }));
    const admitted = targets.map(() => 0);
    await Promise.all(
      Array.from({ length: size }, async (_, i) => {
        const index = i % targets.length;
        const target = targets[index] as Target;
        const counter = `${name} ${countsIn === 'process' ? target.name : '*'} ${key}`;
        const isAdmitted = await this.#ask(target, name, key, counter, agents[index] as Agent);
        if (isAdmitted) admitted[index] = (admitted[index] as number) + 1;
      }),
    );
    for (const agent of agents) agent.destroy();
    return admitted;
  }

  async #ask({ name, port }: Target, mode: ModeName, key: string, counter: string, agent: Agent): Promise<boolean> {
    const path = name === 'service' ? `/v1/forward-auth/${mode}` : `/${mode}`;
    const sentMs = performance.now();
    try {
      const status = await statusOf(port, path, key, agent);
      const answeredMs = performance.now();
      this.slowestMs = Math.max(this.slowestMs, answeredMs - sentMs);
      const isAdmitted = status === 200 || status === 204;
      this.#checker.answered({ counter, sentMs, answeredMs, isAdmitted });
      if (isAdmitted) this.answers.admitted += 1;
      else if (status === 429) this.answers.refused += 1;
      else if (status === 503) this.answers.unavailable += 1;
      else this.failures.push(`${mode} of ${name} answered ${status}`);
      return isAdmitted;
    } catch (error) {
      this.failures.push(`${mode} of ${name} did not answer: ${error}`);
      return false;
    }
  }

  #key(): string {
    if (this.#random() < ONCE_PART) {
      this.#once += 1;
      return `once-${this.#once}`;
    }
    return `key-${Math.floor(USUAL_KEYS * this.#random() ** 3)}`;
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)] as T;
  }
}

async function statusOf(port: number, path: string, key: string, agent: Agent): Promise<number> {
  const signal = AbortSignal.timeout(HUNG_MS);
  const request = get({ host: '127.0.0.1', port, path, agent, signal, headers: { 'x-api-key': key } });
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  message.resume();
  await once(message, 'end');
  return message.statusCode ?? 0;
}
