import { tokenBucket } from '../algorithms/token-bucket.js';
import { type Clock, stopwatchMs, within } from '../clock.js';
import { SluiceError } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import type { Ask, Change, ChangeReply, Reply, Store, Target } from '../store.js';
import { Breaker } from './breaker.js';
import { Deadlines, EARLY_MS } from './deadlines.js';
import { lateError } from './patience.js';
import { isPlain } from './plain.js';
import { RemoteTime } from './remote-time.js';

/** What a probe spends from: full again a millisecond later, so that next to nothing is kept of it. */
const PROBED = tokenBucket({ capacity: 1000, refillRate: 1000 });

/** A store that is asked over a network. */
export type RemoteStore = Store<true> & { readonly remote: NonNullable<Store['remote']> };

/**
 * A store over a remote store that answers, or fails with `SLUICE_STORE`, within the store's deadline, and does not ask
 * a store that is known to be gone.
 *
 * A call that was given up may still reach the store later: it was frozen, or the network held it. So every question
 * carries the store's time after which nothing is charged. Should a reply be lost after the store has charged, the
 * charge stands: the error is towards strict.
 */
export class ResilientStore implements Store<true> {
  readonly async = true;
  readonly clock: Clock;
  readonly supports: Store['supports'];
  readonly remote: RemoteStore['remote'];

  readonly #store: RemoteStore;
  readonly #time: RemoteTime;
  readonly #breaker = new Breaker(() => this.#probe());
  readonly #deadlines: Deadlines;
  #greeting: Promise<void> | undefined;
  #probes = 0;

  constructor(store: RemoteStore) {
    this.#store = store;
    this.clock = store.clock;
    this.supports = store.supports;
    this.remote = store.remote;
    this.#time = new RemoteTime(store.clock);
    this.#deadlines = new Deadlines(store.remote.timeoutMs);
  }

  /** @param told - gets the reply, too, before any who wait for it, if it came in time */
  consume(ask: Ask, told?: (reply: Reply) => void): Promise<Reply> {
    return this.#guarded(
      (untilMs) => {
        const storeMs = this.#time.now();
        if (storeMs === undefined) return this.#greet().then(() => this.#askedLate(ask, untilMs));
        return this.#asked(ask, storeMs, this.remote.timeoutMs - EARLY_MS);
      },
      this.#heard,
      told,
    );
  }

  adjust(change: Change): Promise<ChangeReply> {
    return this.#guarded(() => this.#store.adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#guarded(() => this.#store.reset(targets));
  }

  /** Waits for what is under way, which takes no longer than the deadline. */
  async close(): Promise<void> {
    await this.#deadlines.ended();
    this.#breaker.stop();
    await this.#store.close();
  }

  /** Asks with the store's time after which the caller may have been answered without it. */
  #asked(ask: Ask, storeMs: number, leftMs: number): Promise<Reply> {
    return this.#store.consume(withDeadline(ask, Math.max(0, Math.floor(storeMs + leftMs))));
  }

  /** The same, some time after the caller began to wait. */
  #askedLate(ask: Ask, untilMs: number): Promise<Reply> {
    const leftMs = untilMs - stopwatchMs();
    const storeMs = this.#time.now();
    if (leftMs <= 0 || storeMs === undefined) throw this.#late();
    return this.#asked(ask, storeMs, leftMs);
  }

  readonly #heard = ({ atMs }: Reply): void => this.#time.heard(atMs);

  /** Learns that the store answers, and its time; once for all who ask meanwhile. */
  #greet(): Promise<void> {
    this.#greeting ??= this.#hear({ checks: [], look: true }).finally(() => {
      this.#greeting = undefined;
    });
    return this.#greeting;
  }

  /**
   * Spends what is nobody's, no limit having an empty name: a store that answers but takes no writes, being full or a
   * replica, is not back. Each time elsewhere, since of several servers one may be.
   */
  #probe(): Promise<void> {
    this.#probes += 1;
    const place = `${this.#probes}`;
    return this.#hear({ checks: [{ policy: place, name: '', key: place, limit: PROBED, cost: 1 }] });
  }

  #hear(ask: Ask): Promise<void> {
    const hear = async (): Promise<void> => {
      const { atMs } = await this.#store.consume(ask);
      this.#time.heard(atMs);
    };
    return within(this.remote.timeoutMs, hear(), () => this.#late());
  }

  #late(): SluiceError {
    return lateError(this.remote);
  }

  #guarded<T>(
    call: (untilMs: number) => Promise<T>,
    heard?: (answer: T) => void,
    told?: (answer: T) => void,
  ): Promise<T> {
    if (this.#breaker.isOpen) return Promise.reject(spared(this.#breaker.cause));
    return new Promise((resolve, reject) => {
      const waiting = this.#deadlines.begin((error: unknown = this.#late()): void => {
        this.#breaker.failed(error);
        reject(error);
      });
      const failed = (error: unknown): void => {
        if (this.#deadlines.end(waiting)) waiting.giveUp(error);
      };
      const answered = (answer: T): void => {
        try {
          heard?.(answer);
        } catch (error) {
          failed(error);
          return;
        }
        if (!this.#deadlines.end(waiting)) return;
        this.#breaker.succeeded();
        told?.(answer);
        resolve(answer);
      };
      try {
        call(waiting.untilMs).then(answered, failed);
      } catch (error) {
        failed(error);
      }
    });
  }
}

/** Spreading takes several times as long as the rest of this file, so the common question is written out. */
function withDeadline(ask: Ask, notAfterMs: number): Ask {
  if (isPlain(ask)) return { checks: ask.checks, notAfterMs };
  return { ...ask, notAfterMs: Math.min(notAfterMs, ask.notAfterMs ?? notAfterMs) };
}

function spared(cause: unknown): SluiceError {
  const message = 'the store failed several times in a row, and is not asked until a probe succeeds';
  return new SluiceError('SLUICE_STORE', message, { cause });
}

const resilient = new WeakMap<Store, ResilientStore>();

/** Remote stores that see to deadlines and breakers themselves: wrappers that ask remote stores by them. */
const seesToItself = new WeakSet<Store>();

/** Says of a store made of remote stores that it asks each of them behind a deadline and a breaker of its own. */
export function markResilient(store: Store): void {
  seesToItself.add(store);
}

/** A remote store behind its deadline and breaker, of which each store has one; any other store as it is. */
export function resilientStore(store: Store): Store {
  if (!isRemote(store)) return store;
  return getOrMake(resilient, store, () => new ResilientStore(store));
}

function isRemote(store: Store): store is RemoteStore {
  return store.async && store.remote !== undefined && !(store instanceof ResilientStore) && !seesToItself.has(store);
}
