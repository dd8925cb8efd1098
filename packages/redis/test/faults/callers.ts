import { expect } from '@jest/globals';
import { type Decision, type Limiter, type Store, subscribe } from '@sluice/core';
import { type RedisClient, RedisStore } from '../../src/index.js';
import { LoopDelay } from './loop-delay.js';

/** The deadline of a store by default. */
export const DEFAULT_MS = 50;

/** A deadline of the tests: the machine may be busy, so it is longer than the default. */
export const TIMEOUT_MS = 100;

/** What a check may take beyond its deadline, apart from what the process was busy meanwhile. */
const GRACE_MS = 20;

/** A request waits for the event loop when it is sent and when it is answered. */
const WAITS_TO_BE_ANSWERED = 2;

/** A store that is back decides again within this. */
const BACK_MS = 1000;

/** So often do this process and a server wait for a processor while a store comes back: connections, probes, answers. */
const WAITS_TO_BE_BACK = 20;

/** What the clients of these tests take to connect again. */
export const RECONNECT_MS = 50;

export const CHOICES = ['local', 'allow', 'deny'] as const;

export interface Answered {
  readonly source: Decision['source'];
  readonly allowed: boolean;
  readonly tookMs: number;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Stores, those who ask the limiters over them, what they were answered, and the time that it took. */
export class Callers {
  readonly answers: Answered[] = [];
  readonly #loopDelay = new LoopDelay();
  readonly #stores: Store<true>[] = [];
  readonly #stopListening: () => void;
  #openBreakers = 0;

  constructor() {
    this.#stopListening = subscribe('sluice:breaker', ({ state }) => {
      if (state === 'open') this.#openBreakers += 1;
      if (state === 'closed') this.#openBreakers -= 1;
    });
  }

  storeOver(client: RedisClient, timeout = TIMEOUT_MS, instances = 1): RedisStore {
    return this.closeLater(new RedisStore({ client, timeout, instances }));
  }

  /** Has a store closed when the callers are closed. */
  closeLater<S extends Store<true>>(store: S): S {
    this.#stores.push(store);
    return store;
  }

  async ask(limiter: Limiter<string, true>, subject = 'ann'): Promise<Answered> {
    const startMs = performance.now();
    const { source, allowed } = await limiter.consume(subject);
    const answered = { source, allowed, tookMs: performance.now() - startMs };
    this.answers.push(answered);
    return answered;
  }

  /** Asks in batches of `size` for so long. */
  async askFor(limiter: Limiter<string, true>, ms: number, size = 10, subject = 'ann'): Promise<Answered[]> {
    const asked: Promise<Answered>[] = [];
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) {
      for (let i = 0; i < size; i += 1) asked.push(this.ask(limiter, subject));
      await sleep(10);
    }
    return Promise.all(asked);
  }

  /** Resolves when the store decides, which has to be soon. */
  async untilBack(limiter: Limiter<string, true>, subject = 'ann'): Promise<void> {
    const startMs = performance.now();
    while ((await this.ask(limiter, subject)).source !== 'store') {
      expect(performance.now() - startMs).toBeLessThan(BACK_MS + RECONNECT_MS + this.#waitsMs(WAITS_TO_BE_BACK));
      await sleep(10);
    }
  }

  /** Every request so far was answered by the deadline, but for what the process was busy. */
  expectAllInTime(timeoutMs = TIMEOUT_MS): void {
    const longestMs = Math.max(...this.answers.map(({ tookMs }) => tookMs));
    expect(longestMs).toBeLessThan(timeoutMs + GRACE_MS + this.#waitsMs(WAITS_TO_BE_ANSWERED));
  }

  /** Closes the stores. */
  async close(): Promise<void> {
    this.#loopDelay.stop();
    await Promise.all(this.#stores.map((store) => store.close()));
    // The next probe meets a closed store, and is the last.
    for (let tries = 0; this.#openBreakers > 0 && tries < 1000; tries += 1) await sleep(20);
    this.#stopListening();
  }

  /** What it takes to wait so often for a processor, as long each time as this process ever had to. */
  #waitsMs(times: number): number {
    return times * this.#loopDelay.longestMs;
  }
}

/** How long it is pinged to learn how quick a machine is, and how many pings a deadline should be worth. */
const [PINGS_MS, PINGS_PER_DEADLINE] = [300, 5] as const;

/** A test that takes so many times as long still ends in time. */
const SLOWEST = 20;

/** Other test files start at the same time, and keep the machine busy for a moment. */
const LOOKS = 5;

/**
 * How many times longer than the default a deadline has to be here, so that a server which is well answers within it: 1, or more
 * on a machine that lets even pings wait, for as long as one looks.
 */
export async function slownessOf(client: { ping(): Promise<unknown> }): Promise<number> {
  let slowness = SLOWEST;
  for (let look = 0; look < LOOKS && slowness > 1; look += 1) slowness = await slownessNow(client);
  return slowness;
}

async function slownessNow(client: { ping(): Promise<unknown> }): Promise<number> {
  let longestMs = 0;
  for (const endMs = performance.now() + PINGS_MS; performance.now() < endMs; await sleep(1)) {
    const startMs = performance.now();
    await client.ping();
    longestMs = Math.max(longestMs, performance.now() - startMs);
  }
  return Math.min(SLOWEST, Math.max(1, Math.ceil((PINGS_PER_DEADLINE * longestMs) / DEFAULT_MS)));
}

export function sourcesOf(answers: readonly Answered[]): Set<Decision['source']> {
  return new Set(answers.map(({ source }) => source));
}

export function admittedOf(answers: readonly Answered[]): number {
  return answers.filter(({ allowed }) => allowed).length;
}
