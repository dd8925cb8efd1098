// Why it is so: core/docs/why/calls-to-redis.md

import {
  type Clock,
  type Limit,
  type LimitCheck,
  type Receiver,
  SluiceError,
  type StoreRequest,
  type StoreResponse,
  type Target,
} from '@sluice/core';
import { type BegunBlock, checkSlotId } from '@sluice/core/store';
import { type Asked, Batcher } from './batcher.js';
import { consumeArguments, heldMs, isNumericRequest } from './command-arguments.js';
import type { RedisClient } from './redis-client.js';
import { explained } from './redis-error.js';
import type { RedisKeys } from './redis-keys.js';
import { Replies } from './replies.js';
import { algorithmMaskOf, MixedScript } from './script.js';
import { ScriptPreloader, type TimeListener } from './script-preloader.js';
import { countableLimit, scriptedLimit } from './scripted-limit.js';

type RequestBatcher = Batcher<StoreRequest, StoreResponse, unknown>;

/**
 * The largest size of one call, in numeric checks. Redis does nothing else while it decides about them, which takes a
 * fifth of a millisecond.
 */
export const MAX_SIZE = 64;

/** Decides with the script `consume`. Simultaneous requests share a call. In each, the parts of limits are listed, by `listParts`. */
export class ConsumeBatcher {
  readonly #isCluster: boolean;
  readonly #keys: RedisKeys;
  readonly #script: MixedScript;
  readonly #preloader: ScriptPreloader;
  readonly #onBlock: (block: BegunBlock) => void;
  /**
   * On a single server there is one. On a cluster there is one for each set of states, while asks about them are
   * running. They are named after the keys.
   */
  readonly #batchers = new Map<string, RequestBatcher>();
  /** The only one, on a single server. */
  readonly #single: RequestBatcher | undefined;

  /**
   * @param clock - undefined for the server's time
   * @param onBlock - called with each block that a limit has set, after the reply
   */
  constructor(client: RedisClient, keys: RedisKeys, clock: Clock | undefined, onBlock: (block: BegunBlock) => void) {
    this.#isCluster = client.isCluster;
    this.#keys = keys;
    this.#onBlock = onBlock;
    this.#script = new MixedScript(client, 'consume', clock);
    this.#preloader = new ScriptPreloader(client, this.#script);
    this.#single = client.isCluster ? undefined : this.#batcherNamed('');
  }

  ask(request: StoreRequest, receiver: Receiver<StoreResponse>): void {
    const batcher = this.#single ?? this.#batcherNamed(this.#pushKeys(request, []).join('\n'));
    batcher.ask(request, receiver);
  }

  /** Loads the script of a policy with these limits, so that the first decision does not wait for it. */
  prepare(limits: readonly Limit[]): void {
    this.#preloader.add(limits);
  }

  /** Sends the scripts of all policies so far, and resolves when Redis has them. */
  loadScripts(): Promise<void> {
    return this.#preloader.loadAll();
  }

  /** Calls the listener with the server's time in each reply to a preload. */
  onServerTime(listener: TimeListener): void {
    this.#preloader.onServerTime(listener);
  }

  /** Loads no script in advance from now on. */
  stop(): void {
    this.#preloader.stop();
  }

  /** Sends waiting requests about these targets, so that they arrive before what the caller sends next. */
  sendAbout(targets: readonly Target[]): void {
    for (const batcher of this.#batchers.values()) {
      if (batcher.hasWaiting(({ checks }) => checks.some((check) => isAmong(check, targets)))) batcher.send();
    }
  }

  /** Resolves when all requests so far have replies. */
  async answered(): Promise<void> {
    await Promise.all([...this.#batchers.values()].map((batcher) => batcher.answered()));
  }

  /**
   * On a cluster, keys of different slots cannot share a call. Different keys of one slot should not share one, either:
   * while the slot moves they may be on different nodes, and the request about one key would fail with the other.
   */
  #batcherNamed(name: string): RequestBatcher {
    let batcher = this.#batchers.get(name);
    if (!batcher) {
      batcher = this.#newBatcher(name);
      this.#batchers.set(name, batcher);
    }
    return batcher;
  }

  #newBatcher(name: string): RequestBatcher {
    return new Batcher({
      send: this.#send,
      distribute: this.#distribute,
      fail,
      sizeOf,
      maxSize: MAX_SIZE,
      defer: process.nextTick,
      ...(this.#isCluster && { onIdle: () => this.#batchers.delete(name) }),
    });
  }

  readonly #distribute = (asked: readonly Asked<StoreRequest, StoreResponse>[], answer: unknown): void => {
    const replies = new Replies(answer);
    for (let i = 0; i < asked.length; i += 1) {
      const { question, receiver } = asked[i] as Asked<StoreRequest, StoreResponse>;
      try {
        receiver.resolve(replies.next(question));
      } catch (error) {
        receiver.reject(explained(error));
      }
    }
    const { begunBlocks } = replies;
    if (begunBlocks) for (const block of begunBlocks) this.#onBlock(block);
  };

  readonly #send = (asked: readonly Asked<StoreRequest, StoreResponse>[], receiver: Receiver<unknown>): void => {
    const asks: StoreRequest[] = [];
    const keys: string[] = [];
    let algorithmMask = 0;
    for (let i = 0; i < asked.length; i += 1) {
      const { question } = asked[i] as Asked<StoreRequest, StoreResponse>;
      asks.push(question);
      algorithmMask = algorithmMaskOf(question.checks, algorithmMask);
      this.#pushKeys(question, keys);
    }
    this.#script.send(algorithmMask, keys, consumeArguments(asks), receiver);
  };

  #pushKeys(request: StoreRequest, keys: string[]): string[] {
    const { checks, id } = request;
    for (let i = 0; i < checks.length; i += 1) keys.push(this.#keys.state(checks[i] as LimitCheck));
    const [first] = checks;
    if (first && id !== undefined && heldMs(request) !== undefined) keys.push(this.#keys.id(first, 'ask', id));
    return keys;
  }
}

/**
 * Refuses a request that a script would fail on, because the other requests of its call would fail, too. Also refuses slots
 * that nobody could free.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`, `SLUICE_COST`, `SLUICE_OPTION`
 */
export function checkRequest(request: StoreRequest): void {
  const { checks, atLeast } = request;
  if (atLeast !== undefined) checkUnits(atLeast, 'atLeast');
  for (let i = 0; i < checks.length; i += 1) {
    const { limit, cost, name } = checks[i] as LimitCheck;
    const { usesSlots } = countableLimit(limit);
    checkUnits(cost, 'a cost');
    if (usesSlots) checkSlotId(limit, name, request);
  }
}

function checkUnits(units: number, what: string): void {
  if (!Number.isSafeInteger(units))
    throw new SluiceError('SLUICE_COST', `${what} must be a safe integer, got ${units}`);
}

/**
 * Returns how much of the size of a call a request takes. If its reply is held, it takes all, because the held reply is that of
 * the whole call.
 */
function sizeOf(request: StoreRequest): number {
  if (heldMs(request) !== undefined) return MAX_SIZE;
  const isNumeric = isNumericRequest(request);
  let size = 0;
  for (let i = 0; i < request.checks.length; i += 1) {
    const { shortSize, longSize } = scriptedLimit((request.checks[i] as LimitCheck).limit);
    size += isNumeric ? shortSize : longSize;
  }
  return Math.max(1, size);
}

function fail(asked: readonly Asked<StoreRequest, StoreResponse>[], error: unknown): void {
  const reason = explained(error);
  for (const { receiver } of asked) receiver.reject(reason);
}

function isAmong({ policy, name, key }: LimitCheck, targets: readonly Target[]): boolean {
  return targets.some((target) => target.key === key && target.name === name && target.policy === policy);
}
