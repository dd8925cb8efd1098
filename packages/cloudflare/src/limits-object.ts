import { CompareAndSwapStore, makeCall, type StoreCall } from '@sluice/core/store';
import { answerTo } from './messages.js';
import { ObjectBackend } from './object-backend.js';
import type { ObjectState } from './object-storage.js';

/** The storage may take ten times this long to confirm a write. Until then, it is the Worker that knows how long its caller waits. */
const STORAGE_TIMEOUT = '1s';

/**
 * The class of the Durable Objects that count for a `DurableObjectStore`. Export it from the main module of your Worker, and name it in its
 * configuration, in `durable_objects.bindings` and in `new_sqlite_classes` of a migration. An object decides one call after another, and its
 * answer leaves when the counters are written.
 *
 * @example
 * export { LimitsObject } from '@sluice/cloudflare';
 */
export class LimitsObject {
  readonly #backend: ObjectBackend;
  readonly #store: CompareAndSwapStore;

  constructor(state: ObjectState) {
    this.#backend = new ObjectBackend(state.storage);
    this.#store = new CompareAndSwapStore(this.#backend, { parallel: 1, timeout: STORAGE_TIMEOUT });
  }

  /** Answers a message of a store. Only Workers with a binding of this class can send one. */
  async fetch(request: Request): Promise<Response> {
    const message = await request.text();
    return new Response(await answerTo(message, (call, testMs) => this.#make(call, testMs)));
  }

  /** Forgets what does not count any more. */
  async alarm(): Promise<void> {
    await this.#backend.open();
    await this.#backend.expire();
  }

  async #make(call: StoreCall, testMs: number | undefined): Promise<unknown> {
    await this.#backend.open();
    this.#backend.testMs = testMs;
    return makeCall(this.#store, call);
  }
}
