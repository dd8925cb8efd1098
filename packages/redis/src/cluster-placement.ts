import type { Placement, Target } from '@sluice/core';
import { stopwatchMs } from '@sluice/core/values';
import { hashSlot } from './hash-slot.js';
import type { RedisDriver } from './redis-driver.js';
import type { RedisKeys } from './redis-keys.js';

/** The slots are not asked for more often, because many processes may miss the same node. */
const REFRESH_EVERY_MS = 1000;

/** Tells where a cluster decides about keys, as far as its client knows the slots. It follows a slot that moves. */
export class ClusterPlacement implements Placement {
  readonly #driver: RedisDriver;
  readonly #keys: RedisKeys;
  /** If the client puts its own hash tag before all keys, they are all in one slot. */
  readonly #ownTag: string | undefined;
  #refreshedMs = Number.NEGATIVE_INFINITY;

  constructor(driver: RedisDriver, keys: RedisKeys) {
    this.#driver = driver;
    this.#keys = keys;
    this.#ownTag = /^[^{]*\{([^}]+)\}/.exec(driver.keyPrefix ?? '')?.[1];
  }

  readonly groupOf = (target: Target): string => this.#keys.tag(target);

  /** The address of the slot's primary: `'10.0.0.7:6379'`. */
  readonly nodeOf = (target: Target): string | undefined =>
    this.#driver.addressOf?.(hashSlot(this.#ownTag ?? this.#keys.tag(target)));

  /**
   * A node that hangs and was replaced does not report it: its connection stays, and as long as nothing is sent to it,
   * nobody gets a `MOVED` reply.
   */
  readonly refresh = (): void => {
    const nowMs = stopwatchMs();
    if (nowMs < this.#refreshedMs + REFRESH_EVERY_MS || this.#driver.status !== 'ready') return;
    this.#refreshedMs = nowMs;
    this.#driver.refreshSlots?.();
  };
}
