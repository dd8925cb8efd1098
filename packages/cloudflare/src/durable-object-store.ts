import {
  type BlockRange,
  type Blocks,
  type Change,
  type ChangeResponse,
  type Clock,
  type FoundBlock,
  type LimitCheck,
  type ListedBlock,
  type PolicyOutline,
  SluiceError,
  type Store,
  type StoreRequest,
  type StoreResponse,
  type Target,
  wallClock,
} from '@sluice/core';
import {
  adjustInGroups,
  consumeInGroups,
  DeadlineBudget,
  type Group,
  groupsOf,
  Keyspace,
  protectStore,
  type StoreCall,
  sharingOf,
  withOwnLimits,
} from '@sluice/core/store';
import { checkFunction, checkName, checkOptions, clockOf, optionError, reasonOf, timerMs } from '@sluice/core/values';
import type { DurableObjectStoreOptions } from './durable-object-store-options.js';
import type { LimitsNamespace } from './limits-namespace.js';
import { callMessage, resultOf } from './messages.js';
import { Partitions } from './partitions.js';

const OPTIONS = [
  'name',
  'namespace',
  'partition',
  'locationHint',
  'waitUntil',
  'timeout',
  'instances',
  'random',
  'clock',
] as const;

/** The address of a message: an object has no other, but fetch wants one. */
const ADDRESS = 'https://limits.invalid/';

/** What stores have in common whose objects are the same. */
const places = new WeakMap<LimitsNamespace, Map<string | undefined, object>>();

/**
 * Counts in Durable Objects, for a Worker wherever it runs. Without `partition`, each key of a policy has an object of its own, so that limits bear
 * any number of keys; all limits of such a policy count by the same key. A policy with several keys, a guarantee, or blocks by hand needs `partition`:
 * then one object decides about all of its keys, in one step.
 *
 * It can be made while a Worker loads. The objects are of the class `LimitsObject`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new DurableObjectStore({ namespace: env.LIMITS });
 * const limit = rateLimit({ limit: 100, window: '1m', store });
 */
export class DurableObjectStore implements Store<true> {
  readonly async = true;
  readonly name: string;
  readonly clock: Clock;
  /** Whether keys of one request may differ: only with `partition`. */
  readonly supports: { readonly atomicAcrossKeys: boolean };
  readonly remote: NonNullable<Store['remote']>;
  readonly keyspaces: readonly [Keyspace];
  /** Present if `partition` is a text: nobody can list what several objects have. */
  readonly blocks?: Blocks<true>;

  readonly #namespace: LimitsNamespace;
  readonly #location: { readonly locationHint: string } | undefined;
  readonly #partitions: Partitions;
  readonly #waitUntil: DurableObjectStoreOptions['waitUntil'];
  /** The clock of a test, whose time the objects follow. */
  readonly #testClock: Clock | undefined;
  #isClosed = false;

  constructor(options: DurableObjectStoreOptions) {
    checkOptions(options, OPTIONS);
    const { name = 'durable-objects', namespace, partition, locationHint, waitUntil, timeout = 500 } = options;
    this.name = checkName(name, 'name');
    this.#namespace = checkNamespace(namespace);
    this.#partitions = new Partitions(partition);
    this.#location = locationHint === undefined ? undefined : { locationHint: checkName(locationHint, 'locationHint') };
    if (waitUntil !== undefined) checkFunction(waitUntil, 'waitUntil');
    this.#waitUntil = waitUntil;
    this.#testClock = options.clock === undefined ? undefined : clockOf(options.clock);
    // The time of day, which the objects have, too.
    this.clock = this.#testClock ?? wallClock;
    this.supports = { atomicAcrossKeys: !this.#partitions.areKeys };
    this.remote = {
      timeoutMs: timerMs(timeout, 'timeout'),
      ...sharingOf(options),
      protect: protectStore,
      requestBound: { serverOf: (target) => this.#partitions.nameOf(target) },
    };
    this.keyspaces = [keyspaceOf(this.#namespace, this.#partitions.only)];
    if (this.#partitions.only !== undefined) this.blocks = this.#blocksOf(this.#partitions.only);
  }

  /** Refuses a policy of several keys or with a guarantee, unless the store has a `partition`. */
  accept(policy: PolicyOutline): void {
    this.#partitions.accept(policy);
  }

  async consume(request: StoreRequest): Promise<StoreResponse> {
    this.#checkOpen();
    const { checks } = request;
    const groups = this.#groupsOf(checks);
    if (groups.length > 1)
      return consumeInGroups(request, groups, new DeadlineBudget(this.remote.timeoutMs, this.remote));
    if (checks.length === 0) return { atMs: this.clock.now(), allowed: true, verdicts: [] };
    return this.#decide(this.#objectOf(checks), request);
  }

  async adjust(change: Change): Promise<ChangeResponse> {
    this.#checkOpen();
    const { checks } = change;
    const groups = this.#groupsOf(checks);
    if (groups.length > 1) return adjustInGroups(change, groups);
    if (checks.length === 0) return { atMs: this.clock.now(), result: 'expired', verdicts: [] };
    return this.#correct(this.#objectOf(checks), change);
  }

  async reset(targets: readonly Target[]): Promise<number> {
    this.#checkOpen();
    const byObject = new Map<string, Target[]>();
    for (const target of targets) {
      const name = this.#partitions.nameOf(target);
      byObject.set(name, [...(byObject.get(name) ?? []), target]);
    }
    const calls = [...byObject].map(([name, own]) => this.#call<number>(name, { method: 'reset', argument: own }));
    return (await Promise.all(calls)).reduce((sum, count) => sum + count, 0);
  }

  /** Refuses further calls. There is no connection to end, and what the objects have counted stays. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.keyspaces[0].close();
  }

  #decide(name: string, request: StoreRequest): Promise<StoreResponse> {
    return this.#call(name, { method: 'consume', argument: request });
  }

  #correct(name: string, change: Change): Promise<ChangeResponse> {
    return this.#call(name, { method: 'adjust', argument: change });
  }

  #objectOf(checks: readonly LimitCheck[]): string {
    return this.#partitions.areKeys
      ? this.#partitions.nameOf(checks[0] as LimitCheck)
      : this.#partitions.onlyNameOf(checks);
  }

  /** Without a partition, whoever asks the store itself may ask about several keys. Their objects decide one after another. */
  #groupsOf(checks: readonly LimitCheck[]): readonly Group[] {
    if (!this.#partitions.areKeys) return [];
    this.#partitions.checkParts(checks);
    return groupsOf(
      checks,
      (check) => this.#partitions.nameOf(check),
      (name) => ({
        consume: (request) => this.#decide(name, request),
        adjust: (change) => this.#correct(name, change),
      }),
    );
  }

  #blocksOf(object: string): Blocks<true> {
    const call = async <Result>(made: StoreCall): Promise<Result> => {
      this.#checkOpen();
      return this.#call<Result>(object, made);
    };
    return {
      block: (order) => call({ method: 'block', argument: order }),
      unblock: (targets) => call<boolean>({ method: 'unblock', argument: targets }),
      find: (targets) => call<FoundBlock | undefined>({ method: 'find', argument: targets }),
      list: (policy: string, range: BlockRange) =>
        call<readonly ListedBlock[]>({ method: 'list', argument: [policy, range] }),
    };
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }

  /** The Worker's request may be over before its calls are answered. Whoever has made a call gets its error. */
  #call<Result>(name: string, call: StoreCall): Promise<Result> {
    const answer = this.#ask<Result>(name, call);
    this.#waitUntil?.(answer.catch(() => {}));
    return answer;
  }

  /** Each call has a stub of its own: a Worker cannot use one that another request has made. */
  async #ask<Result>(name: string, call: StoreCall): Promise<Result> {
    const { status, text } = await this.#send(name, callMessage(call, this.#testClock?.now()));
    return withOwnLimits(call, resultOf(status, text)) as Result;
  }

  async #send(name: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const stub = this.#namespace.get(this.#namespace.idFromName(name), this.#location);
      const answer = await stub.fetch(ADDRESS, { method: 'POST', body });
      return { status: answer.status, text: await answer.text() };
    } catch (cause) {
      throw new SluiceError('SLUICE_STORE', `the object cannot be asked: ${reasonOf(cause)}`, { cause });
    }
  }
}

function checkNamespace(namespace: unknown): LimitsNamespace {
  const { idFromName, get } = (namespace ?? {}) as Partial<LimitsNamespace>;
  if (typeof idFromName === 'function' && typeof get === 'function') return namespace as LimitsNamespace;
  const rule = 'must be a binding of Durable Objects, such as env.LIMITS: the configuration of the Worker names it';
  throw optionError('namespace', rule, namespace);
}

function keyspaceOf(namespace: LimitsNamespace, object: string | undefined): Keyspace {
  const objects = places.get(namespace) ?? new Map<string | undefined, object>();
  places.set(namespace, objects);
  const place = objects.get(object) ?? {};
  objects.set(object, place);
  return new Keyspace(place, {
    place: object === undefined ? 'these Durable Objects' : `the Durable Object ${JSON.stringify(object)}`,
    suggestion: 'give one of the stores another partition or another binding',
  });
}
