import {
  type Ask,
  type Change,
  type ChangeReply,
  type Check,
  type Clock,
  type Duration,
  fixedWindow,
  type Reply,
  SluiceError,
  type Store,
  type Target,
} from '@sluice/core';
import {
  adjustInGroups,
  checkOneOf,
  checkOptions,
  checkWhole,
  clockOf,
  consumeInGroups,
  DeadlineBudget,
  type Decider,
  durationMs,
  type Group,
  groupsOf,
  type Keyspace,
  systemClock,
} from '@sluice/core/store';
import { ClusterPlacement } from './cluster-placement.js';
import { adjustArguments } from './command-arguments.js';
import { ConsumeBatcher, checkAsk } from './consume-batcher.js';
import { inspect, untilConnected, withPatience } from './readiness.js';
import { type RedisClient, troubleOf } from './redis-client.js';
import { closedClient, explained } from './redis-error.js';
import { RedisKeys } from './redis-keys.js';
import { keyspaceOf } from './redis-keyspace.js';
import { checkClient, checkPrefix, type RedisStoreOptions } from './redis-store-options.js';
import { Replies } from './replies.js';
import { algorithmMaskOf, MixedScript } from './script.js';

/** How long `ready()` waits. */
export interface ReadyOptions {
  /** After it, `ready()` rejects; default 5 s. */
  timeout?: Duration;
}

/** What is asked to learn whether the store may do what it has to; no policy has an empty name. */
const TRIAL = { policy: '', name: '', key: '', limit: fixedWindow({ limit: 1, window: '1s' }), cost: 1 };

/**
 * Counts in Redis, for any number of instances: each decision about any mix of limits is one step of a script, and
 * those that are asked at the same time share a call.
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
  readonly remote: NonNullable<Store['remote']>;
  readonly keyspaces: readonly [Keyspace];

  readonly #client: RedisClient;
  readonly #keys: RedisKeys;
  readonly #batcher: ConsumeBatcher;
  readonly #adjust: MixedScript;
  readonly #now: () => number | undefined;
  readonly #oneSlot: Decider = {
    consume: (ask) => this.#batcher.ask(ask),
    adjust: (change) => this.#adjustSlot(change),
  };
  readonly #underWay = new Set<Promise<unknown>>();
  #inspection: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RedisStoreOptions) {
    checkOptions(options, ['client', 'prefix', 'timeout', 'instances', 'hashTag', 'clock']);
    const { client, clock, prefix = 'sluice:', timeout = 50, instances = 1, hashTag = 'subject' } = options;
    this.#client = checkClient(client);
    this.#keys = new RedisKeys(checkPrefix(prefix), checkOneOf(hashTag, 'hashTag', ['subject', 'policy'] as const));
    this.#adjust = new MixedScript(client, 'adjust');
    this.#now = () => clock?.now();
    this.#batcher = new ConsumeBatcher(client, this.#keys, this.#now);
    this.clock = clockOf(clock);
    this.supports = { atomicAcrossKeys: !client.isCluster };
    this.keyspaces = [keyspaceOf(client, prefix, hashTag)];
    this.remote = {
      timeoutMs: durationMs(timeout, 'timeout'),
      instances: checkWhole(instances, 'instances', 1),
      trouble: () => troubleOf(client),
      ...(client.isCluster && { placement: new ClusterPlacement(client, this.#keys) }),
    };
  }

  /**
   * Resolves when Redis answers and the store may do there what it has to. Never needed, but at the start of a program it
   * tells early what would have to be changed. Whatever it comes to, the store works as soon as Redis does.
   *
   * @throws SluiceError `SLUICE_OPTION` for a Redis older than 6.2; `SLUICE_STORE` for one that does not answer within the
   * `timeout`, with what the client failed with last as its cause, for a closed client, one in subscriber mode, a
   * read-only replica, a full Redis, a missing right; `SLUICE_CLOSED`
   * @example
   * store.ready({ timeout: '2s' }).catch((error) => console.warn(error.message));
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    checkOptions(options, ['timeout']);
    const { timeout = 5000 } = options;
    await withPatience(this.#client, durationMs(timeout, 'timeout'), async (over) => {
      await untilConnected(this.#client, () => this.#try(), over);
      await this.#inspect();
    });
  }

  consume(ask: Ask): Promise<Reply> {
    try {
      this.#open();
      checkAsk(ask);
      const slots = this.#slotsOf(ask.checks);
      const reply = slots.length > 1 ? this.#consumeInSlots(ask, slots) : this.#batcher.ask(ask);
      // A Redis that is too old is for ready() to refuse; here it has just answered.
      if (!this.#inspection) reply.then(() => this.#inspect()).catch(() => {});
      return reply;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  adjust(change: Change): Promise<ChangeReply> {
    return this.#answer(() => this.#adjustNow(change));
  }

  /** Redis keeps the state of a bucket for up to twice the time that it matters: until then it may be counted. */
  reset(targets: readonly Target[]): Promise<number> {
    return this.#answer(() => this.#resetNow(targets));
  }

  /** Waits for what is under way, though no longer than a check may take. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.keyspaces[0].close();
    const drained = new AbortController();
    const budget = systemClock.sleep(this.remote.timeoutMs, drained.signal).catch(() => {});
    await Promise.race([Promise.all([this.#batcher.answered(), Promise.allSettled(this.#underWay)]), budget]);
    drained.abort();
  }

  /** Within one deadline: what was spent before a slot that does not answer is given back, though its asker waits no more. */
  #consumeInSlots(ask: Ask, slots: readonly Group[]): Promise<Reply> {
    return this.#answer(() => consumeInGroups(ask, slots, new DeadlineBudget(this.remote.timeoutMs, this.remote)));
  }

  async #adjustNow(change: Change): Promise<ChangeReply> {
    const slots = this.#slotsOf(change.checks);
    return slots.length > 1 ? adjustInGroups(change, slots) : this.#adjustSlot(change);
  }

  /** A cluster has the keys of one slot within reach of one step; a server by itself has all of them. */
  #slotsOf(checks: readonly Check[]): readonly Group[] {
    if (!this.#client.isCluster) return [];
    return groupsOf(
      checks,
      (check) => this.#keys.tag(check),
      () => this.#oneSlot,
    );
  }

  async #adjustSlot(change: Change): Promise<ChangeReply> {
    const keys = change.checks.map((check) => this.#keys.state(check));
    const [first] = change.checks;
    if (first && change.id !== undefined) keys.push(this.#keys.id(first, 'change', change.id));
    this.#batcher.sendAbout(change.checks);
    const answer = await this.#adjust.run(algorithmMaskOf(change.checks), keys, adjustArguments(change, this.#now()));
    return new Replies(answer).change(change.checks);
  }

  async #resetNow(targets: readonly Target[]): Promise<number> {
    this.#batcher.sendAbout(targets);
    // One command per key: in a cluster each may live elsewhere.
    const unlinked = await Promise.all(
      targets.flatMap((target) => this.#keys.states(target)).map((key) => this.#client.call('UNLINK', [key])),
    );
    return unlinked.reduce((sum: number, keys) => sum + Number(keys), 0);
  }

  async #try(): Promise<void> {
    await this.consume({ checks: [TRIAL] });
    await this.reset([TRIAL]);
  }

  #open(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
    if (this.#client.status === 'end') throw closedClient();
  }

  async #answer<T>(call: () => Promise<T>): Promise<T> {
    this.#open();
    const answer = call();
    this.#underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      throw explained(error);
    } finally {
      this.#underWay.delete(answer);
    }
  }

  #inspect(): Promise<void> {
    this.#inspection ??= inspect(this.#client);
    return this.#inspection;
  }
}
