import {
  type Ask,
  type Change,
  type ChangeResult,
  type Clock,
  type Duration,
  type Reply,
  SluiceError,
  type Store,
  type Target,
} from '@sluice/core';
import { checkOneOf, checkOptions, checkWhole, durationMs, optionError, systemClock } from '@sluice/core/store';
import { adjustArguments, consumeArguments } from './command-arguments.js';
import { ADJUST, CONSUME } from './generated/scripts.js';
import type { RedisClient } from './redis-client.js';
import { type HashTag, RedisKeys } from './redis-keys.js';
import { changeResultOf, replyOf } from './replies.js';
import { Script } from './script.js';

export interface RedisStoreOptions {
  /** An ioredis client, `Redis` or `Cluster`. It stays the user's: `close()` does not quit it. */
  client: RedisClient;
  /** What every key begins with; default `'sluice:'`. */
  prefix?: string;
  /** How long a check may take; default 50 ms. After it, the policy's `onStoreError` answers. */
  timeout?: Duration;
  /** How many instances of the application share this Redis, for what each may admit by itself while it is gone; default 1. */
  instances?: number;
  /** Which keys share a slot of a cluster: those of one subject (default), or those of one policy. */
  hashTag?: HashTag;
  /** For tests: passed to every script in place of the server's time. Keys then live for 10 minutes at least. */
  clock?: Clock;
}

/** With a clock of its own a state's time to live says nothing about real time, so keys get at least this. */
const LEAST_TTL_MS = 600_000;

/**
 * Counts in Redis, for any number of instances: each decision about any mix of limits is one script call.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new RedisStore({ client: new Redis('redis://localhost'), instances: 4 });
 * app.use(rateLimit({ limit: 100, window: '1m', store }));
 */
export class RedisStore implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports: { readonly atomicAcrossKeys: boolean };
  readonly remote: { readonly timeoutMs: number; readonly instances: number };

  readonly #client: RedisClient;
  readonly #keys: RedisKeys;
  readonly #consume: Script;
  readonly #adjust: Script;
  readonly #now: () => number | undefined;
  readonly #leastTtlMs: number;
  #isClosed = false;

  constructor(options: RedisStoreOptions) {
    checkOptions(options, ['client', 'prefix', 'timeout', 'instances', 'hashTag', 'clock']);
    const { client, clock, prefix = 'sluice:', timeout = 50, instances = 1, hashTag = 'subject' } = options;
    if (typeof client?.call !== 'function')
      throw optionError('client', 'must be an ioredis client: new Redis(url)', client);
    this.#client = client;
    this.#keys = new RedisKeys(checkPrefix(prefix), checkOneOf(hashTag, 'hashTag', ['subject', 'policy'] as const));
    this.#consume = new Script(client, CONSUME);
    this.#adjust = new Script(client, ADJUST);
    this.#now = clock ? () => clock.now() : () => undefined;
    this.#leastTtlMs = clock ? LEAST_TTL_MS : 0;
    this.clock = clock ?? systemClock;
    this.supports = { atomicAcrossKeys: !client.isCluster };
    this.remote = { timeoutMs: durationMs(timeout, 'timeout'), instances: checkWhole(instances, 'instances', 1) };
  }

  async consume(ask: Ask): Promise<Reply> {
    this.#assertOpen();
    for (const { limit, name } of ask.checks) {
      if (limit.algorithm !== 'concurrency' || ask.id !== undefined || ask.look) continue;
      throw new SluiceError('SLUICE_VERB', `the concurrency limit ${name} needs an id that holds the slot`);
    }
    const keys = ask.checks.map((check) => this.#keys.state(check));
    const [first] = ask.checks;
    if (first && ask.id !== undefined && ask.holdMs !== undefined) keys.push(this.#keys.id(first, 'ask', ask.id));
    const answer = await this.#consume.run(keys, consumeArguments(ask, this.#now(), this.#leastTtlMs));
    return replyOf(answer, ask.checks);
  }

  async adjust(change: Change): Promise<ChangeResult> {
    this.#assertOpen();
    const keys = change.checks.map((check) => this.#keys.state(check));
    const [first] = change.checks;
    if (first && change.id !== undefined) keys.push(this.#keys.id(first, 'change', change.id));
    return changeResultOf(await this.#adjust.run(keys, adjustArguments(change, this.#now(), this.#leastTtlMs)));
  }

  async reset(targets: readonly Target[]): Promise<void> {
    this.#assertOpen();
    // One command per key: in a cluster each may live elsewhere.
    await Promise.all(
      targets.flatMap((target) => this.#keys.states(target)).map((key) => this.#client.call('UNLINK', [key])),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }
}

function checkPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && /^[^{}\s]{0,64}$/.test(prefix)) return prefix;
  throw optionError('prefix', 'must be at most 64 characters without blanks and braces', prefix);
}
