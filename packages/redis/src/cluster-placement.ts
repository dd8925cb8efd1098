import type { Placement, Target } from '@sluice/core';
import { stopwatchMs } from '@sluice/core/store';
import { hashSlot } from './hash-slot.js';
import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

/** The slots are not asked for more often, because many processes may miss the same node. */
const REFRESH_EVERY_MS = 1000;

/** Tells where a cluster decides about keys, as far as its client knows the slots. It follows a slot that moves. */
export class ClusterPlacement implements Placement {
  readonly #client: RedisClient;
  readonly #keys: RedisKeys;
  /** If the client puts its own hash tag before all keys, they are all in one slot. */
  readonly #ownTag: string | undefined;
  #refreshedMs = Number.NEGATIVE_INFINITY;

  constructor(client: RedisClient, keys: RedisKeys) {
    this.#client = client;
    this.#keys = keys;
    this.#ownTag = /^[^{]*\{([^}]+)\}/.exec(String(client.options?.keyPrefix ?? ''))?.[1];
  }

  readonly groupOf = (target: Target): string => this.#keys.tag(target);

  /** The address of the slot's primary: `'10.0.0.7:6379'`. */
  readonly nodeOf = (target: Target): string | undefined =>
    this.#client.slots?.[hashSlot(this.#ownTag ?? this.#keys.tag(target))]?.[0];

  /**
   * A node that hangs and was replaced does not report it: its connection stays, and as long as nothing is sent to it,
   * nobody gets a `MOVED` reply.
   */
  readonly refresh = (): void => {
    const nowMs = stopwatchMs();
    if (nowMs < this.#refreshedMs + REFRESH_EVERY_MS || this.#client.status !== 'ready') return;
    this.#refreshedMs = nowMs;
    this.#client.refreshSlotsCache?.();
  };
}
