/**
 * `@sluice/core/store`: helpers for authors of stores, beside the contract. They decide a request group by group if no single
 * step reaches all of its keys. They also check options as Sluice checks its own, for every package that has options.
 *
 * @module
 */

export { checkLimit } from '../algorithms/check-limit.js';
export type { Algorithm, AlgorithmDefinition } from '../algorithms/definition.js';
export { ALGORITHMS, DEFINITIONS, definitionOf } from '../algorithms/definitions.js';
export { FOREVER_MS } from '../algorithms/key-state.js';
export { clockOf, stopwatchMs } from '../values/clock.js';
export { Deferred, passOn, promiseOf } from '../values/deferred.js';
export { checkTimer, durationMs, timerMs } from '../values/duration.js';
export { isMistake, optionError } from '../values/error.js';
export { decodeKey, encodeKey } from '../values/key.js';
export { nextOperationId } from '../values/operation-id.js';
export { checkName, checkOneOf, checkOptions, checkWhole } from '../values/option-checks.js';
export { MONEY } from '../values/quota-unit.js';
export { type BegunBlock, blockedHash, blockIn, compareBlocks, fullError, untilOf } from './blocks.js';
export { checkSlotId } from './check-evaluation.js';
export { listParts, nestParts } from './check-parts.js';
export type { CompareAndSwapBackend, Entry, NextEntry, Snapshot, Swap } from './compare-and-swap/backend.js';
export { TIMEOUTS_PER_CALL } from './compare-and-swap/batch-attempts.js';
export {
  type CompareAndSwapOptions,
  compareAndSwapStore,
  type StoreWithBlocks,
} from './compare-and-swap/compare-and-swap-store.js';
export { DeadlineBudget } from './deadline.js';
export { adjustInGroups } from './grouped/adjust.js';
export { consumeInGroups } from './grouped/consume.js';
export { type Decider, type Group, groupsOf } from './grouped/groups.js';
export { Keyspace, type PlaceDescription } from './keyspace.js';
export { enforcedAs, isRemembered, slotIdOf } from './operation-record.js';
export { type CalledService, GuardedCalls, type SentCall } from './remote/guarded-calls.js';
export { type LimitAnswer, sameCheck, verdictOf } from './reply.js';
export { tooLateError, unknownFormError } from './store-failure.js';
