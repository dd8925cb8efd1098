import { MemoryStore } from '@sluice/core/src/stores/memory/memory-store';
import type { Store } from '@sluice/core/src/stores/store';
import { NODE } from '@sluice/core/src/values/node';
import { warn } from '@sluice/core/src/values/warning';
import type { HttpRequest } from '../node/request.js';

/**
 * This many similar requests, each with a limiter of its own, are no coincidence: a cache of limiters would have reused
 * one.
 */
const ALIKE = 10;

/** This many limiters with one request each are no cache, even if the requests differ. */
const MANY = 1000;

/** After this many other requests in a row, the watch waits for requests like a new one. */
const MOST_OTHERS = 20;

/** What was seen of limiters that were called where they were made, while none of them was called again. */
const seen = { inARow: 0, alike: 0, others: 0, like: '', isDone: false };

/** Stores that have counted for a policy before. */
const known = new WeakSet<Store>();

/**
 * Detects a limiter that is made in a handler, with its own store: it counts one request, is thrown away, and never
 * limits. Such a limiter is called in the same synchronous run in which it was made, and never again.
 *
 * Unit tests do the same with artificial requests. So only a request with a connection counts.
 */
export class HandlerWatch {
  #isBeingMade = true;
  #isAsked = false;

  /**
   * Returns a watch; undefined if there is nothing to watch, because the store has counted before, or the warning was
   * given.
   */
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

  /** Call it for each request. Returns the watch while it is in doubt, and otherwise undefined. */
  asked(request: HttpRequest): HandlerWatch | undefined {
    if (this.#isAsked) {
      Object.assign(seen, { inARow: 0, alike: 0, others: 0, like: '' });
      return undefined;
    }
    if (!this.#isBeingMade || seen.isDone || !isConnection(request.socket)) return undefined;
    this.#isAsked = true;
    suspect(request);
    return this;
  }
}

/** Whether it is a connection of Node. Other runtimes expose none. */
function isConnection(socket: unknown): boolean {
  const Socket = NODE?.getBuiltinModule('node:net')?.Socket;
  return Socket !== undefined && socket instanceof Socket;
}

function suspect({ method, url, headers }: HttpRequest): void {
  const text = `${method} ${url} ${JSON.stringify(headers)}`;
  const isAlike = text === seen.like;
  seen.inARow += 1;
  seen.others = isAlike ? 0 : seen.others + 1;
  if (isAlike) seen.alike += 1;
  else if (seen.like === '' || seen.others > MOST_OTHERS) Object.assign(seen, { like: text, alike: 0, others: 0 });
  if (seen.alike < ALIKE && seen.inARow < MANY) return;
  seen.isDone = true;
  warn(
    'SLUICE_LIMITER_IN_HANDLER',
    'A handler makes a new limiter for each request, so no request is ever limited. Make the limiter once, outside of the handler, or give all limiters one store and one options object.',
  );
}
