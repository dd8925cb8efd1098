/**
 * `@sluice/core/store`: what authors of stores need besides the contract, so that their options are checked as Sluice's own are.
 *
 * @module
 */
export { clockOf, systemClock } from './clock.js';
export { durationMs } from './duration.js';
export { optionError } from './error.js';
export { checkOneOf, checkOptions, checkWhole } from './option-checks.js';
