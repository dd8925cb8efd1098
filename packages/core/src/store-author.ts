/**
 * `@sluice/core/store`: what authors of stores need besides the contract: their options are checked as Sluice's own
 * are, and where no step reaches all keys, questions are decided group by group.
 *
 * @module
 */
export { adjustInGroups } from './adjust-in-groups.js';
export { checkLimit } from './check-limit.js';
export { clockOf, systemClock } from './clock.js';
export { consumeInGroups } from './consume-in-groups.js';
export { durationMs } from './duration.js';
export { optionError } from './error.js';
export { type Decider, type Group, groupsOf } from './groups.js';
export { Keyspace, type PlaceDescription } from './keyspace.js';
export { checkOneOf, checkOptions, checkWhole } from './option-checks.js';
export { Patience } from './resilience/patience.js';
export { tooLateError } from './store-failure.js';
