import type { Ask, Limit } from '@sluice/core';
import { stopwatchMs } from '@sluice/core/store';
import { consumeArguments } from './command-arguments.js';
import { onConnected } from './on-connected.js';
import type { RedisClient } from './redis-client.js';
import { Replies } from './replies.js';
import type { MixedScript } from './script.js';
import { scriptedLimit } from './scripted-limit.js';

/** Gets the server's time from a reply, and when the call began, as the stopwatch shows it. */
export type TimeListener = (atMs: number, askedMs: number) => void;

/** An ask about no limit: its reply has only the server's time. */
const NO_CHECKS: Ask = { checks: [], peek: true };

/**
 * Sends the script of each policy as soon as the client is connected, and again after each new connection, with an ask about
 * no limit. So Redis has the scripts before the first decision, and the server's time is known. Nobody waits for the reply,
 * and a failure changes nothing: decisions send their script themselves.
 */
export class ScriptPreloader {
  readonly #client: RedisClient;
  readonly #script: MixedScript;
  readonly #listeners: TimeListener[] = [];
  readonly #masks = new Set<number>();
  #stopListening: (() => void) | undefined;
  #isStopped = false;

  constructor(client: RedisClient, script: MixedScript) {
    this.#client = client;
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
    if (!this.#stopListening) this.#stopListening = onConnected(this.#client, () => this.#loadAll());
    else if (this.#client.status === 'ready') void this.#load(mask);
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening?.();
  }

  #loadAll(): void {
    for (const mask of this.#masks) void this.#load(mask);
  }

  async #load(mask: number): Promise<void> {
    const askedMs = stopwatchMs();
    try {
      const answers = await this.#script.load(mask, consumeArguments([NO_CHECKS]));
      for (const answer of answers) {
        const { atMs } = new Replies(answer).next({ checks: [] });
        for (const listener of this.#listeners) listener(atMs, askedMs);
      }
    } catch {
      // The first decision reports what is wrong, if it still is.
    }
  }
}
