import { type Clock, stopwatchMs, within } from '../clock.js';
import { SluiceError } from '../error.js';
import type { Ask, Change, ChangeResult, Reply, Store, Target } from '../store.js';
import { Breaker } from './breaker.js';
import { RemoteTime } from './remote-time.js';

/** A store that is asked over a network. */
export type RemoteStore = Store<true> & { readonly remote: NonNullable<Store['remote']> };

/**
 * A store over a remote store that answers, or fails with `SLUICE_STORE`, within the store's deadline, and does not ask a store that is
 * known to be gone.
 *
 * A call that was given up may still reach the store later: it was frozen, or the network held it. So every question carries the
 * store's time after which nothing is charged. Should a reply be lost after the script has run, the charge stands: the error is
 * towards strict.
 */
export class ResilientStore implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports: Store['supports'];
  readonly remote: RemoteStore['remote'];

  readonly #store: RemoteStore;
  readonly #time: RemoteTime;
  readonly #breaker: Breaker;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(store: RemoteStore) {
    this.#store = store;
    this.clock = store.clock;
    this.supports = store.supports;
    this.remote = store.remote;
    this.#time = new RemoteTime(store.clock);
    this.#breaker = new Breaker(() => within(this.remote.timeoutMs, this.#greet(), late));
  }

  consume(ask: Ask): Promise<Reply> {
    const deadlineMs = stopwatchMs() + this.remote.timeoutMs;
    return this.#guarded(async () => {
      if (this.#time.now() === undefined) await this.#greet();
      const notAfterMs = Math.floor((this.#time.now() as number) + deadlineMs - stopwatchMs());
      const reply = await this.#store.consume({
        ...ask,
        notAfterMs: Math.min(notAfterMs, ask.notAfterMs ?? notAfterMs),
      });
      this.#time.heard(reply.atMs);
      return reply;
    });
  }

  adjust(change: Change): Promise<ChangeResult> {
    return this.#guarded(() => this.#store.adjust(change));
  }

  reset(targets: readonly Target[]): Promise<void> {
    return this.#guarded(() => this.#store.reset(targets));
  }

  /** Waits for what is under way, which takes no longer than the deadline. */
  async close(): Promise<void> {
    this.#breaker.stop();
    await Promise.allSettled(this.#underWay);
    await this.#store.close();
  }

  /** Learns the store's time, and that it answers. */
  async #greet(): Promise<void> {
    const { atMs } = await this.#store.consume({ checks: [], look: true });
    this.#time.heard(atMs);
  }

  #guarded<T>(call: () => Promise<T>): Promise<T> {
    if (this.#breaker.isOpen)
      return Promise.reject(
        new SluiceError('SLUICE_STORE', 'the store does not answer; it is asked again when a probe comes back'),
      );
    const answer = within(this.remote.timeoutMs, call(), late);
    this.#underWay.add(answer);
    answer.then(
      () => this.#ended(answer, undefined),
      (error) => this.#ended(answer, error),
    );
    return answer;
  }

  #ended(answer: Promise<unknown>, error: unknown): void {
    this.#underWay.delete(answer);
    if (error === undefined) this.#breaker.succeeded();
    else if (!(error instanceof SluiceError) || error.code === 'SLUICE_STORE') this.#breaker.failed();
  }
}

function late(): SluiceError {
  return new SluiceError('SLUICE_STORE', 'the store did not answer in time');
}

const resilient = new WeakMap<Store, Store>();

/** A remote store behind its deadline and breaker, of which each store has one; any other store as it is. */
export function resilientStore<Async extends boolean>(store: Store<Async>): Store<Async> {
  if (!isRemote(store)) return store;
  let wrapped = resilient.get(store);
  if (!wrapped) {
    wrapped = new ResilientStore(store);
    resilient.set(store, wrapped);
  }
  return wrapped as Store<Async>;
}

function isRemote(store: Store): store is RemoteStore {
  return store.async && store.remote !== undefined && !(store instanceof ResilientStore);
}
