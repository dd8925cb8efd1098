import type { Duration, Target } from '@sluice/core';
import type { RemoteStoreOptions } from '@sluice/core/store';
import type { LimitsNamespace } from './limits-namespace.js';

/** The options of a DurableObjectStore. */
export interface DurableObjectStoreOptions extends RemoteStoreOptions {
  /** The binding of the class `LimitsObject` in the configuration of the Worker, such as `env.LIMITS`. */
  namespace: LimitsNamespace;
  /**
   * Names the object that decides: at most 500 characters. With a text, one object decides about everything that counts in this store. With a
   * function, all checks of a request need the same name, and keys cannot be blocked by hand. Default: each key of a policy has an object of its own.
   */
  partition?: string | ((target: Target) => string);
  /**
   * Where Cloudflare creates an object that is called for the first time, such as `'weur'`. It stays there. Default: near the Worker that calls
   * it.
   */
  locationHint?: string;
  /**
   * Keeps a request of the Worker alive: `waitUntil` of `cloudflare:workers`. Slots are freed and charges are given back after the response, and
   * without it Cloudflare may end the request before its object has heard of that. Default: absent.
   */
  waitUntil?: (promise: Promise<unknown>) => void;
  /** How long a decision may take: at most 24.8 days. After that, the policy's `onStoreError` decides. Default: 500 ms. */
  timeout?: Duration;
}
