/**
 * `@sluice/client/decisions`: limits that a decision service has (`@sluice/server`), for `rateLimit` of every adapter.
 *
 * @example
 * const remote = decisions({ url: 'http://127.0.0.1:8080', policy: 'api' });
 * app.use(rateLimit(remote));
 * @module
 */

export type { DecisionSubject } from './decision-subject.js';
export { decisions } from './decisions.js';
export type { DecisionReserve, DecisionSpend, DecisionsLimiter } from './decisions-limiter.js';
export type { DecisionsOptions } from './decisions-options.js';
export type { LocalLimits, LocalRequest } from './local-limiter.js';
