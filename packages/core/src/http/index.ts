/**
 * `@sluice/core/http`: what adapters for frameworks are made of. Users find what they need of it in their adapter's
 * package.
 *
 * @example
 * const { enforce, policy, reset } = createEnforcer(options, { requestOf: (req) => req, proxyTrust: () => 'none' });
 * @module
 */

export { type Admitter, type AnsweringHost, createAdmitter } from './admitter.js';
export { checkPartialOptions } from './check-partial-options.js';
export type { Enforcement, Outcome } from './enforcement.js';
export { createEnforcer, type Enforcer, type PolicyHandle } from './enforcer.js';
export type { HeaderDraft } from './header-fields.js';
export type { Host, ProxyTrust } from './host.js';
export type { HttpOptions } from './http-options.js';
export { inheritedOptions } from './inherited-options.js';
export { ipKey } from './ip-key.js';
export { byHeader, byIp, firstOf, headerKey } from './key-generators.js';
export type { Refusal } from './problem.js';
export type { HttpRequest } from './request.js';
export { onResponseEnd } from './response-end.js';
