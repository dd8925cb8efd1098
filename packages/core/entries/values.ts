/**
 * `@sluice/core/values`: what packages beside the core share with it: checks of options and their errors, keys, clocks, durations and
 * warnings. Authors of stores and of adapters find here how Sluice checks its own options.
 *
 * @module
 */

export { checkLimit } from '@sluice/core/src/algorithms/check-limit';
export { ownedBy } from '@sluice/core/src/limiter/policy/owner';
export { type CalendarBounds, calendarsFor } from '@sluice/core/src/values/calendar';
export { checkObject } from '@sluice/core/src/values/check-object';
export { clockOf, stopwatchMs } from '@sluice/core/src/values/clock';
export { Deferred, passOn, promiseOf } from '@sluice/core/src/values/deferred';
export { checkTimer, durationMs, durationRule, timerMs } from '@sluice/core/src/values/duration';
export { isMistake, optionError, reasonOf, show } from '@sluice/core/src/values/error';
export { publish } from '@sluice/core/src/values/events';
export { type Eventual, isPromise, recover, whenReady, whenSettled } from '@sluice/core/src/values/eventual';
export { getOrCreate } from '@sluice/core/src/values/get-or-create';
export { decodeKey, encodeKey, encodePair, hash } from '@sluice/core/src/values/key';
export { usesSlots } from '@sluice/core/src/values/limit';
export { murmurHash } from '@sluice/core/src/values/murmur-hash';
export { nearest } from '@sluice/core/src/values/nearest';
export { NODE } from '@sluice/core/src/values/node';
export { nextOperationId } from '@sluice/core/src/values/operation-id';
export { checkFunction, checkName, checkOneOf, checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
export { suggestionFor } from '@sluice/core/src/values/option-suggestions';
export { MONEY, usualOnStoreError } from '@sluice/core/src/values/quota-unit';
export { warn } from '@sluice/core/src/values/warning';
export type { Writable } from '@sluice/core/src/values/writable';
