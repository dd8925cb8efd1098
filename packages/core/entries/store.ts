/**
 * `@sluice/core/store`: helpers for authors of stores, beside the contract. They decide a request group by group if no single
 * step reaches all of its keys.
 *
 * @module
 */

export { FOREVER_MS } from '@sluice/core/src/algorithms/arithmetic/block';
export { keptBack } from '@sluice/core/src/algorithms/arithmetic/margin';
export type { Algorithm, AlgorithmDefinition } from '@sluice/core/src/algorithms/definition';
export { ALGORITHMS, DEFINITIONS, definitionOf, isAlgorithm } from '@sluice/core/src/algorithms/definitions';
export { takesBack } from '@sluice/core/src/algorithms/returns';
export {
  type BegunBlock,
  blockedHash,
  blockIn,
  compareBlocks,
  fullError,
  untilOf,
} from '@sluice/core/src/stores/blocks';
export { checkSlotId } from '@sluice/core/src/stores/check-evaluation';
export { listParts, nestParts } from '@sluice/core/src/stores/check-parts';
export { DeadlineBudget } from '@sluice/core/src/stores/deadline';
export { Keyspace, type PlaceDescription } from '@sluice/core/src/stores/keyspace';
export { type RestoredStore, restoreSnapshot, snapshotOf } from '@sluice/core/src/stores/memory/snapshot';
export { spreadOf } from '@sluice/core/src/stores/network-store';
export { enforcedAs, isRemembered, slotIdOf } from '@sluice/core/src/stores/operation-record';
export { type LimitAnswer, sameCheck, verdictOf } from '@sluice/core/src/stores/reply';
export { tooLateError, unknownFormError } from '@sluice/core/src/stores/store-failure';
export { unitChecks } from '@sluice/core/src/stores/unit-checks';
export { type Asked, Batcher } from '@sluice/remote/batches/batcher';
export {
  type CarriedError,
  carried,
  errorOf,
  makeCall,
  type StoreCall,
  withOwnLimits,
} from '@sluice/remote/calls/store-calls';
export type { CompareAndSwapBackend, Entry, NextEntry, Snapshot, Swap } from '@sluice/remote/compare-and-swap/backend';
export { TIMEOUTS_PER_CALL } from '@sluice/remote/compare-and-swap/batch-attempts';
export type { CompareAndSwapOptions } from '@sluice/remote/compare-and-swap/compare-and-swap-options';
export {
  CompareAndSwapStore,
  compareAndSwapStore,
  type StoreWithBlocks,
} from '@sluice/remote/compare-and-swap/compare-and-swap-store';
export { adjustInGroups } from '@sluice/remote/grouped/adjust';
export { consumeInGroups } from '@sluice/remote/grouped/consume';
export { type Decider, type Group, groupsOf } from '@sluice/remote/grouped/groups';
export { type CalledService, GuardedCalls, type SentCall } from '@sluice/remote/guard/guarded-calls';
export { protectStore } from '@sluice/remote/guard/remote-store';
export { type ReadyOptions, type RemoteStoreOptions, sharingOf } from '@sluice/remote/guard/remote-store-options';
export { untilReady } from '@sluice/remote/guard/until-ready';
