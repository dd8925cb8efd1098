import type { Placement, Target } from '@sluice/core';
import { hashSlot } from './hash-slot.js';
import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

/** Where a cluster decides about keys, by what its client knows of the slots: a slot that moves is followed. */
export class ClusterPlacement implements Placement {
  readonly #client: RedisClient;
  readonly #keys: RedisKeys;
  /** Where the client puts a hash tag of its own before all keys, they are all in one slot. */
  readonly #ownTag: string | undefined;

  constructor(client: RedisClient, keys: RedisKeys) {
    this.#client = client;
    this.#keys = keys;
    this.#ownTag = /^[^{]*\{([^}]+)\}/.exec(String(client.options?.keyPrefix ?? ''))?.[1];
  }

  readonly groupOf = (target: Target): string => this.#keys.tag(target);

  /** The address of the slot's primary: `'10.0.0.7:6379'`. */
  readonly nodeOf = (target: Target): string | undefined =>
    this.#client.slots?.[hashSlot(this.#ownTag ?? this.#keys.tag(target))]?.[0];
}
