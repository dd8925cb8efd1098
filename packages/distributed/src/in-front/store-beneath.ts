import { DEFINITIONS } from '@sluice/core/src/algorithms/definitions';
import type { Blocks } from '@sluice/core/src/stores/blocks';
import { checkExactStore } from '@sluice/core/src/stores/check-store';
import { type Keyspace, keyspacesOf } from '@sluice/core/src/stores/keyspace';
import { spreadOf } from '@sluice/core/src/stores/network-store';
import type { Capabilities, Store } from '@sluice/core/src/stores/store';
import type { Clock } from '@sluice/core/src/values/clock';
import { SluiceError } from '@sluice/core/src/values/error';
import type { ProtectedStore } from '@sluice/remote/guard/protected-store';
import { protectStore } from '@sluice/remote/guard/remote-store';
import { BlocksInFront, type Changing } from './blocks-in-front.js';

/** Assumed for a store that does not say how it is asked over a network: the defaults of a RedisStore. */
const ASSUMED_REMOTE: NonNullable<Store['remote']> = /* @__PURE__ */ Object.freeze({
  timeoutMs: 50,
  instances: 1,
  protect: protectStore,
});

/** By which part a time is shortened at most. */
const SPREAD = 0.1;

/** The store beneath one that counts units in advance or later, and what that one shows of it. */
export class StoreBeneath {
  readonly store: ProtectedStore;
  readonly clock: Clock;
  readonly supports: Capabilities;
  readonly keyspaces: readonly Keyspace[];
  /** How it is asked over a network, if it says so; and what is assumed if it does not. */
  readonly network: Store['remote'];
  readonly remote: NonNullable<Store['remote']>;
  isClosed = false;
  readonly #spread: () => number;

  /**
   * @param store - the option `store`
   * @throws SluiceError `SLUICE_OPTION` if it returns no promises, or is not exact itself
   */
  constructor(store: Store<true>) {
    checkExactStore(store, 'store');
    this.store = protectStore(store);
    this.clock = store.clock;
    this.supports = capabilitiesInFront(store.supports);
    this.keyspaces = keyspacesOf(store);
    this.network = store.remote;
    this.remote = store.remote ?? ASSUMED_REMOTE;
    this.#spread = spreadOf(this.remote);
  }

  /** Returns the blocks of the store as the one in front has them; undefined if there are none. See `BlocksInFront`. */
  blocks(changing: Changing): Blocks<true> | undefined {
    const { blocks } = this.store;
    if (!blocks) return undefined;
    return new BlocksInFront(blocks, async (targets, change) => {
      this.checkOpen();
      return changing(targets, change);
    });
  }

  /**
   * Returns a time that is up to a tenth shorter, where there are several instances: those that did something in one moment, because the
   * store came back for all of them, do it further apart each time. It is never longer, because bounds are counted with the stated time.
   */
  spreadMs(ms: number): number {
    return Math.ceil(ms * (1 - SPREAD * this.#spread()));
  }

  /** @throws SluiceError `SLUICE_CLOSED` */
  checkOpen(): void {
    if (this.isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }
}

/** Returns the capabilities of a store in front of which units are counted in advance or later. */
function capabilitiesInFront({ atomicAcrossKeys, algorithms }: Capabilities): Capabilities {
  const leasable = DEFINITIONS.filter(({ lease }) => lease).map(({ algorithm }) => algorithm);
  return {
    atomicAcrossKeys,
    algorithms: leasable.filter((algorithm) => algorithms === undefined || algorithms.includes(algorithm)),
    exact: false,
  };
}
