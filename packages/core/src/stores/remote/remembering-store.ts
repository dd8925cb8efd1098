import type { Clock } from '../../values/clock.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { type Keyspace, keyspacesOf } from '../keyspace.js';
import { isSimpleSpend } from '../reply.js';
import type { Ask, Change, ChangeReply, Reply, Store, Target } from '../store.js';
import { Refusals } from './refusal-cache.js';
import { type RemoteStore, ResilientStore } from './remote-store.js';

/**
 * A store over a remote store that answers by itself while a refusal is certain, so that a key which is refused over
 * and over costs no round trips. It changes no decision, but that what others give back may be seen a tenth of a second
 * later.
 */
export class RememberingStore implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports: Store['supports'];
  readonly keyspaces: readonly Keyspace[];
  readonly remote: NonNullable<Store['remote']>;

  readonly #store: Store<true>;
  readonly #refusals: Refusals;

  constructor(store: RemoteStore) {
    this.#store = store;
    this.#refusals = new Refusals(() => store.clock.now());
    this.clock = store.clock;
    this.supports = store.supports;
    this.keyspaces = keyspacesOf(store);
    this.remote = store.remote;
  }

  consume(ask: Ask): Promise<Reply> {
    return Promise.resolve(this.answer(ask));
  }

  /** As `consume`, but what is known is given at once. */
  answer(ask: Ask): Reply | Promise<Reply> {
    if (ask.peek) return this.#store.consume(ask);
    const isRepeatable = ask.checks.length > 0 && isSimpleSpend(ask);
    const known = isRepeatable ? this.#refusals.recall(ask) : undefined;
    if (known) return known;
    const question = this.#refusals.question();
    const told = (reply: Reply): void => {
      if (reply.allowed) this.#refusals.spent(ask, reply);
      else if (isRepeatable && !reply.outsideEdges) this.#refusals.remember(ask, question, reply);
    };
    if (this.#store instanceof ResilientStore) return this.#store.consume(ask, undefined, told);
    const answer = this.#store.consume(ask);
    answer.then(told, () => {});
    return answer;
  }

  adjust(change: Change): Promise<ChangeReply> {
    return this.#changing(change.checks, this.#store.adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#changing(targets, this.#store.reset(targets));
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #changing<T>(targets: readonly Target[], change: Promise<T>): Promise<T> {
    this.#refusals.changed(targets);
    try {
      return await change;
    } finally {
      this.#refusals.changed(targets);
    }
  }
}

const remembering = new WeakMap<Store, Store>();

/**
 * A store that is asked over a network with a memory of what it refused, of which each store has one; any other store
 * as it is.
 */
export function rememberingStore(store: Store): Store {
  if (!isRemote(store) || store instanceof RememberingStore) return store;
  return getOrCreate(remembering, store, () => new RememberingStore(store));
}

function isRemote(store: Store): store is RemoteStore {
  return store.async && store.remote !== undefined;
}
