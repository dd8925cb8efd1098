import {
  type Blocks,
  type Change,
  type ChangeResponse,
  type Clock,
  fixedWindow,
  type LimitCheck,
  type PolicyOutline,
  type Receiver,
  SluiceError,
  type Store,
  type StoreRequest,
  type StoreResponse,
  slidingWindow,
  systemClock,
  type Target,
} from '@sluice/core';
import {
  adjustInGroups,
  consumeInGroups,
  DeadlineBudget,
  type Decider,
  type Group,
  groupsOf,
  type Keyspace,
  listParts,
  nestParts,
  protectStore,
  type ReadyOptions,
  sharingOf,
} from '@sluice/core/store';
import {
  checkName,
  checkOneOf,
  checkOptions,
  clockOf,
  Deferred,
  durationMs,
  optionError,
  passOn,
  promiseOf,
  timerMs,
} from '@sluice/core/values';
import { ChangeScript } from './change-script.js';
import { ClusterPlacement } from './cluster-placement.js';
import { ConsumeBatcher } from './consume-batcher.js';
import { inspect, untilConnected, withTimeout } from './readiness.js';
import { RedisBlocks } from './redis-blocks.js';
import { isConnecting, type RedisDriver, troubleOf } from './redis-driver.js';
import { closedClient, explained } from './redis-error.js';
import { RedisKeys } from './redis-keys.js';
import { identityOf, keyspaceOf } from './redis-keyspace.js';
import { checkClient, checkPrefix, type RedisStoreOptions } from './redis-store-options.js';
import { countIn } from './replies.js';
import { scriptedRequest } from './scripted-request.js';

/** How long after its first reply Redis is inspected, unless `ready()` has done it. */
const INSPECTED_AFTER_MS = 1000;

/** The limits that a trial may have: one whose script Redis needs anyway, or the last one. */
const TRIED = [slidingWindow({ limit: 1, window: '1s' }), fixedWindow({ limit: 1, window: '1s' })] as const;

/** What a trial is about. No policy has an empty name. */
const TRIAL = { policy: '', name: '', key: '' };

/**
 * Counts in Redis, for any number of instances. Choose it to share limits between processes. Each decision about any
 * mix of limits is one step of a script, and simultaneous decisions share a call.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new RedisStore({ client: new Redis('redis://localhost'), instances: 4 });
 * app.use(rateLimit({ limit: 100, window: '1m', store }));
 */
export class RedisStore implements Store<true> {
  readonly async = true;
  readonly name: string;
  readonly clock: Clock;
  /** Whether keys of one request may differ: not in a cluster, where each is on its own node. */
  readonly supports: { readonly atomicAcrossKeys: boolean };
  readonly remote: NonNullable<Store['remote']>;
  readonly keyspaces: readonly [Keyspace];
  readonly blocks: Blocks<true>;

  readonly #driver: RedisDriver;
  readonly #keys: RedisKeys;
  readonly #batcher: ConsumeBatcher;
  readonly #changes: ChangeScript;
  readonly #blocks: RedisBlocks;
  readonly #oneSlot: Decider = {
    consume: (request) =>
      promiseOf((receiver) =>
        this.#batcher.ask(scriptedRequest(listParts(request), this.#keys), nesting(request, receiver)),
      ),
    adjust: (change) => this.#adjustSlot(change),
  };
  readonly #underWay = new Set<Promise<unknown>>();
  #inspection: Promise<void> | undefined;
  #isInspectionDue = false;
  #isClosed = false;

  constructor(options: RedisStoreOptions) {
    checkOptions(options, ['name', 'client', 'prefix', 'timeout', 'instances', 'random', 'hashTag', 'clock']);
    const { name = 'redis', client, clock, prefix = 'sluice:', timeout = 50, hashTag = 'subject' } = options;
    this.name = checkName(name, 'name');
    const driver = checkClient(client);
    this.#driver = driver;
    this.#keys = new RedisKeys(checkPrefix(prefix), checkOneOf(hashTag, 'hashTag', ['subject', 'policy'] as const));
    const sharing = { ...sharingOf(options), timeoutMs: timerMs(timeout, 'timeout') };
    this.#changes = new ChangeScript(driver, this.#keys, clock, sharing);
    this.#blocks = new RedisBlocks(driver, this.#keys, clock, sharing, {
      run: (call) => this.#answer(call),
      sendAbout: (targets) => this.#batcher.sendAbout(targets),
    });
    this.blocks = this.#blocks;
    this.#batcher = new ConsumeBatcher(driver, clock, sharing, (block) => this.#blocks.begun(block));
    this.clock = clockOf(clock);
    this.supports = { atomicAcrossKeys: !driver.isCluster };
    this.keyspaces = [keyspaceOf(driver, prefix, hashTag)];
    this.#batcher.onServerTime(() => void this.#inspectLater());
    this.remote = {
      ...sharing,
      protect: protectStore,
      trouble: () => troubleOf(driver),
      isConnecting: () => isConnecting(driver),
      onServerTime: (listener) => this.#batcher.onServerTime(listener),
      ...(driver.isCluster && { placement: new ClusterPlacement(driver, this.#keys) }),
    };
  }

  /**
   * Resolves when Redis replies, the store has the permissions it needs, and Redis has the scripts of all policies that count
   * in the store by then: their first decisions are as quick as later ones. It is optional: call it at the start of a
   * program, after the policies are made, to see problems early. The store works as soon as Redis does, even if `ready` rejected.
   *
   * @throws SluiceError `SLUICE_OPTION` if Redis is older than 6.2; `SLUICE_STORE` if it does not reply within the
   * `timeout` (the cause is the client's last error), if the client is closed or in subscriber mode, or if Redis is a
   * read-only replica, is full, or denies a permission; `SLUICE_CLOSED`
   * @example
   * store.ready({ timeout: '2s' }).catch((error) => console.warn(error.message));
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    checkOptions(options, ['timeout']);
    const { timeout = 5000 } = options;
    const [driver, [keyspace]] = [this.#driver, this.keyspaces];
    await withTimeout({ driver, keyspace }, durationMs(timeout, 'timeout'), async (over) => {
      await untilConnected(driver, () => this.#try(), over);
      await Promise.all([this.#batcher.loadScripts(), this.#inspect()]);
    });
  }

  /** In a cluster, the keys of a guarantee share a slot only if all keys of a policy do. */
  accept({ limits }: PolicyOutline): void {
    this.#batcher.prepare(limits.flatMap(({ limit }) => (limit && limit.algorithm !== 'unlimited' ? [limit] : [])));
    const guarantee = limits.find(({ usesGuarantee }) => usesGuarantee);
    if (!guarantee || !this.#driver.isCluster || this.#keys.hashTag === 'policy') return;
    const rule = `must be 'policy' in a cluster, because the limit ${JSON.stringify(guarantee.name)} has a guarantee: one step has to reach all its keys`;
    throw optionError('hashTag', rule, this.#keys.hashTag);
  }

  consume(request: StoreRequest): PromiseLike<StoreResponse> {
    const response = new Deferred<StoreResponse>();
    try {
      if (this.#isClosed || this.#driver.status === 'end') this.#refuse();
      const listed = listParts(request);
      const scripted = scriptedRequest(listed, this.#keys);
      const own = this.#isInspectionDue ? response : this.#inspecting(response);
      const slots = this.#driver.isCluster ? this.#slotsOf(request.checks) : [];
      if (slots.length > 1) this.#askSlots(request, slots, own);
      else this.#batcher.ask(scripted, listed === request ? own : nesting(request, own));
    } catch (error) {
      response.reject(error);
    }
    return response;
  }

  adjust(change: Change): Promise<ChangeResponse> {
    return this.#answer(() => this.#adjustNow(change));
  }

  /**
   * Redis keeps the state of a bucket up to twice as long as it matters. Until then it may be included in the number.
   */
  reset(targets: readonly Target[]): Promise<number> {
    return this.#answer(() => this.#resetNow(targets));
  }

  /** Waits until running calls have ended, at most as long as a decision may take. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#batcher.stop();
    this.keyspaces[0].close();
    const drained = new AbortController();
    const budget = systemClock.sleep(this.remote.timeoutMs, drained.signal).catch(() => {});
    const ended = this.#batcher.answered().then(() => this.#blocks.written());
    await Promise.race([Promise.all([ended, Promise.allSettled(this.#underWay)]), budget]);
    drained.abort();
  }

  /** Returns a receiver that also has Redis inspected, because it has replied. */
  #inspecting(receiver: Receiver<StoreResponse>): Receiver<StoreResponse> {
    return {
      resolve: (response) => {
        void this.#inspectLater();
        receiver.resolve(response);
      },
      reject: (error) => receiver.reject(error),
    };
  }

  /** Inspects Redis when the first decisions are over: its report takes it longer than they do. */
  async #inspectLater(): Promise<void> {
    if (this.#isInspectionDue) return;
    this.#isInspectionDue = true;
    await systemClock.sleep(INSPECTED_AFTER_MS, undefined, { unref: true });
    // If Redis is too old, `ready()` reports it. Here it has replied.
    if (!this.#isClosed) await this.#inspect().catch(() => {});
  }

  /**
   * Decides slot by slot, within one deadline. If a slot does not reply, the units spent before are given back,
   * although the caller waits no longer.
   */
  #askSlots(request: StoreRequest, slots: readonly Group[], receiver: Receiver<StoreResponse>): void {
    const budget = new DeadlineBudget(this.remote.timeoutMs, this.remote);
    passOn(
      this.#answer(() => consumeInGroups(request, slots, budget)),
      receiver,
    );
  }

  async #adjustNow(change: Change): Promise<ChangeResponse> {
    const slots = this.#slotsOf(change.checks);
    return slots.length > 1 ? adjustInGroups(change, slots) : this.#adjustSlot(change);
  }

  /** In a cluster, one step reaches the keys of one slot. On a single server, it reaches all. */
  #slotsOf(checks: readonly LimitCheck[]): readonly Group[] {
    if (!this.#driver.isCluster) return [];
    return groupsOf(
      checks,
      (check) => this.#keys.tag(check),
      () => this.#oneSlot,
    );
  }

  async #adjustSlot(change: Change): Promise<ChangeResponse> {
    const listed = listParts(change);
    this.#batcher.sendAbout(listed.checks);
    return nestParts(change, await this.#changes.run(listed));
  }

  async #resetNow(targets: readonly Target[]): Promise<number> {
    this.#batcher.sendAbout(targets);
    // One command per key, because in a cluster each key may be on another node.
    const unlinked = await Promise.all(
      targets.flatMap((target) => this.#keys.states(target)).map((key) => this.#driver.command('UNLINK', [key])),
    );
    this.#blocks.forget(targets.filter(({ policy }) => policy !== TRIAL.policy));
    return unlinked.reduce((sum: number, answer) => sum + countIn(answer), 0);
  }

  /** Tests whether the store has the permissions it needs. The key is gone after it. */
  async #try(): Promise<void> {
    const limit = TRIED.find((one) => this.#batcher.hasScriptOf(one)) ?? TRIED[1];
    await Promise.all([this.consume({ checks: [{ ...TRIAL, limit, cost: 1 }] }), this.reset([TRIAL])]);
  }

  /** Throws why no call can be made. */
  #refuse(): never {
    throw this.#isClosed ? new SluiceError('SLUICE_CLOSED', 'the store was closed') : closedClient();
  }

  async #answer<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isClosed || this.#driver.status === 'end') this.#refuse();
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
    this.#inspection ??= inspect(this.#driver).then((server) => {
      if (server !== undefined) this.keyspaces[0].identify(identityOf(this.#driver, this.#keys, server));
    });
    return this.#inspection;
  }
}

/** Returns a receiver of the response to what `listParts` has made of a request. It passes on the response to the request. */
function nesting(request: StoreRequest, receiver: Receiver<StoreResponse>): Receiver<StoreResponse> {
  return {
    resolve: (response) => receiver.resolve(nestParts(request, response)),
    reject: (error) => receiver.reject(error),
  };
}
