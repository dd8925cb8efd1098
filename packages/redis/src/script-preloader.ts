import type { Limit } from '@sluice/core';
import { stopwatchMs } from '@sluice/core/values';
import { consumeArguments } from './command-arguments.js';
import { onConnected } from './on-connected.js';
import type { RedisDriver } from './redis-driver.js';
import { Replies } from './replies.js';
import type { CommandScripts } from './script.js';
import { scriptedLimit } from './scripted-limit.js';
import type { ScriptedRequest } from './scripted-request.js';

/** Gets the server's time from a reply, and when the call began, as the stopwatch shows it. */
export type TimeListener = (atMs: number, askedMs: number) => void;

/** A request about no limit: its reply has only the server's time. */
const NO_CHECKS: ScriptedRequest = {
  request: { checks: [], peek: true },
  limits: [],
  keys: [],
  algorithmMask: 0,
  isNumeric: false,
  size: 1,
};

/**
 * Sends the script of each policy as soon as the client is connected, and again after each new connection, with a request about
 * no limit. So Redis has the scripts before the first decision, and the server's time is known. Nobody waits for the reply,
 * and a failure changes nothing: decisions send their script themselves.
 */
export class ScriptPreloader {
  readonly #driver: RedisDriver;
  readonly #script: CommandScripts;
  readonly #listeners: TimeListener[] = [];
  readonly #masks = new Set<number>();
  #stopListening: (() => void) | undefined;
  #isStopped = false;

  constructor(driver: RedisDriver, script: CommandScripts) {
    this.#driver = driver;
    this.#script = script;
  }

  /** Calls the listener with the server's time in each reply. */
  onServerTime(listener: TimeListener): void {
    this.#listeners.push(listener);
  }

  /** Loads the script of a policy with these limits. */
  add(limits: readonly Limit[]): void {
    let mask = 0;
    for (const limit of limits) mask |= scriptedLimit(limit).algorithmBit;
    if (mask === 0 || this.#isStopped || this.#masks.has(mask)) return;
    this.#masks.add(mask);
    if (!this.#stopListening) this.#stopListening = onConnected(this.#driver, () => this.#preload([...this.#masks]));
    else if (this.#driver.status === 'ready') this.#preload([mask]);
  }

  /** Whether it loads a script for this limit alone. */
  has(limit: Limit): boolean {
    return this.#masks.has(scriptedLimit(limit).algorithmBit);
  }

  /**
   * Sends the scripts of all policies so far, and resolves when the server has them.
   *
   * @throws the error of the client
   */
  async loadAll(): Promise<void> {
    await Promise.all([...this.#masks].map((mask) => this.#load(mask)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening?.();
  }

  #preload(masks: readonly number[]): void {
    // The first decision reports what is wrong, if it still is.
    for (const mask of masks) this.#load(mask).catch(() => {});
  }

  async #load(mask: number): Promise<void> {
    const askedMs = stopwatchMs();
    const answers = await this.#script.load(mask, consumeArguments([NO_CHECKS]));
    for (const answer of answers) {
      const { atMs } = new Replies(answer).next({ checks: [] });
      for (const listener of this.#listeners) listener(atMs, askedMs);
    }
  }
}
