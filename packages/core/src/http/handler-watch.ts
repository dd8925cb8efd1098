import { Socket } from 'node:net';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { Store } from '../stores/store.js';
import { warn } from '../values/warning.js';
import type { HttpRequest } from './node/request.js';

/** So many requests that are alike, each to a limiter made for it, are no coincidence: a cache of limiters would have had one. */
const ALIKE = 10;

/** So many limiters of one request each are no cache of limiters, whatever the requests. */
const MANY = 1000;

/** After so many others in a row it is another request whose like is waited for. */
const PATIENCE = 20;

/** What was seen of limiters that were asked where they were made, while none of them was asked again. */
const seen = { inARow: 0, alike: 0, others: 0, like: '', isDone: false };

/** Stores that have counted for a policy before. */
const known = new WeakSet<Store>();

/**
 * Watches a limiter that may have been made where a request is handled, with a store of its own: it counts one request, is thrown
 * away, and never limits. Such a limiter is asked in the same synchronous run in which it was made, and never again.
 *
 * Unit tests do the same with requests that they have made up. So only a request that came over a connection is suspected.
 */
export class HandlerWatch {
  #isBeingMade = true;
  #isAsked = false;

  /** Undefined where there is nothing to watch: the store has counted before, or the warning was given. */
  static over(store: Store | undefined): HandlerWatch | undefined {
    const isFresh = store === undefined || (store instanceof MemoryStore && !known.has(store));
    if (store) known.add(store);
    return isFresh && !seen.isDone ? new HandlerWatch() : undefined;
  }

  private constructor() {
    Promise.resolve().then(() => {
      this.#isBeingMade = false;
    });
  }

  /** To be told of each request; returns the watch while it is in doubt, else undefined. */
  asked(request: HttpRequest): HandlerWatch | undefined {
    if (this.#isAsked) {
      Object.assign(seen, { inARow: 0, alike: 0, others: 0, like: '' });
      return undefined;
    }
    if (!this.#isBeingMade || seen.isDone || !(request.socket instanceof Socket)) return undefined;
    this.#isAsked = true;
    suspect(request);
    return this;
  }
}

function suspect({ method, url, headers }: HttpRequest): void {
  const text = `${method} ${url} ${JSON.stringify(headers)}`;
  const isAlike = text === seen.like;
  seen.inARow += 1;
  seen.others = isAlike ? 0 : seen.others + 1;
  if (isAlike) seen.alike += 1;
  else if (seen.like === '' || seen.others > PATIENCE) Object.assign(seen, { like: text, alike: 0, others: 0 });
  if (seen.alike < ALIKE && seen.inARow < MANY) return;
  seen.isDone = true;
  warn(
    'SLUICE_LIMITER_IN_HANDLER',
    'Limiters are made while requests are handled, each for one request: none of them ever limits. Make the limiter once, outside of the handler, or give all of them one store and one options object.',
  );
}
