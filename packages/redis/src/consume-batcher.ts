// Why it is so: core/docs/why/calls-to-redis.md

import type { Clock, Limit, LimitCheck, Receiver, StoreResponse, Target } from '@sluice/core';
import { type Asked, Batcher, type BegunBlock } from '@sluice/core/store';
import { consumeArguments } from './command-arguments.js';
import type { RedisDriver } from './redis-driver.js';
import { explained } from './redis-error.js';
import { Replies } from './replies.js';
import { CommandScripts, type Sharing } from './script.js';
import { ScriptPreloader, type TimeListener } from './script-preloader.js';
import { MAX_SIZE, type ScriptedRequest } from './scripted-request.js';

type RequestBatcher = Batcher<ScriptedRequest, StoreResponse, unknown>;

/** Decides with the script `consume`. Simultaneous requests share a call. In each, the parts of limits are listed, by `listParts`. */
export class ConsumeBatcher {
  readonly #isCluster: boolean;
  readonly #scripts: CommandScripts;
  readonly #preloader: ScriptPreloader;
  readonly #onBlock: (block: BegunBlock) => void;
  /**
   * On a single server there is one. On a cluster there is one for each set of states, while requests about them are
   * running. They are named after the keys.
   */
  readonly #batchers = new Map<string, RequestBatcher>();
  /** The only one, on a single server. */
  readonly #single: RequestBatcher | undefined;

  /**
   * @param clock - undefined for the server's time
   * @param sharing - how many processes use the server
   * @param onBlock - called with each block that a limit has set, after the reply
   */
  constructor(driver: RedisDriver, clock: Clock | undefined, sharing: Sharing, onBlock: (block: BegunBlock) => void) {
    this.#isCluster = driver.isCluster === true;
    this.#onBlock = onBlock;
    this.#scripts = new CommandScripts(driver, 'consume', clock, sharing);
    this.#preloader = new ScriptPreloader(driver, this.#scripts);
    this.#single = driver.isCluster ? undefined : this.#batcherNamed('');
  }

  ask(scripted: ScriptedRequest, receiver: Receiver<StoreResponse>): void {
    const batcher = this.#single ?? this.#batcherNamed(scripted.keys.join('\n'));
    batcher.ask(scripted, scripted.size, receiver);
  }

  /** Loads the script of a policy with these limits, so that the first decision does not wait for it. */
  prepare(limits: readonly Limit[]): void {
    this.#preloader.add(limits);
  }

  /** Whether the script of a policy is one for this limit alone. */
  hasScriptOf(limit: Limit): boolean {
    return this.#preloader.has(limit);
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
      if (batcher.hasWaiting(({ request: { checks } }) => checks.some((check) => isAmong(check, targets))))
        batcher.send();
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
      maxSize: MAX_SIZE,
      defer: process.nextTick,
      ...(this.#isCluster && { onIdle: () => this.#batchers.delete(name) }),
    });
  }

  readonly #distribute = (asked: readonly Asked<ScriptedRequest, StoreResponse>[], answer: unknown): void => {
    const replies = new Replies(answer);
    for (let i = 0; i < asked.length; i += 1) {
      const { question, receiver } = asked[i] as Asked<ScriptedRequest, StoreResponse>;
      try {
        receiver.resolve(replies.next(question.request));
      } catch (error) {
        receiver.reject(explained(error));
      }
    }
    const { begunBlocks } = replies;
    if (begunBlocks) for (const block of begunBlocks) this.#onBlock(block);
  };

  readonly #send = (
    asked: readonly Asked<ScriptedRequest, StoreResponse>[],
    replied: (reply: unknown) => void,
    failed: (error: unknown) => void,
  ): void => {
    const requests: ScriptedRequest[] = [];
    const keys: string[] = [];
    let algorithmMask = 0;
    for (let i = 0; i < asked.length; i += 1) {
      const { question } = asked[i] as Asked<ScriptedRequest, StoreResponse>;
      requests.push(question);
      algorithmMask |= question.algorithmMask;
      for (let k = 0; k < question.keys.length; k += 1) keys.push(question.keys[k] as string);
    }
    this.#scripts.of(algorithmMask).send(keys, consumeArguments(requests), replied, failed);
  };
}

function fail(asked: readonly Asked<ScriptedRequest, StoreResponse>[], error: unknown): void {
  const reason = explained(error);
  for (const { receiver } of asked) receiver.reject(reason);
}

function isAmong({ policy, name, key }: LimitCheck, targets: readonly Target[]): boolean {
  return targets.some((target) => target.key === key && target.name === name && target.policy === policy);
}
