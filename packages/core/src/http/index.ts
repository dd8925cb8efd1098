/**
 * `@sluice/core/http`: what adapters for frameworks are made of. Users find what they need of it in their adapter's
 * package.
 *
 * @example
 * const { enforce, policy, reset } = createEnforcer(options, { requestOf: (req) => req, proxyTrust: () => 'none' });
 * @module
 */

export { warn } from '../warning.js';
export { type Admission, type Admitter, type AdmittingHost, createAdmitter, type Refused } from './admitter.js';
export { type ApplicationOptions, ApplicationPolicies } from './application-policies.js';
export { Call, COMPLETED, LEFT } from './call.js';
export { callAt } from './call-at.js';
export { callHost } from './call-host.js';
export { type Caller, NOBODY } from './caller.js';
export { type Chain, chainOf, keepReservation, knownChainOf, reservationOf } from './chain.js';
export { checkAddressless } from './check-addressless.js';
export { checkObject } from './check-object.js';
export { checkPartialOptions } from './check-partial-options.js';
export type { Enforcement, Outcome } from './enforcement.js';
export { createEnforcer, type Enforcer, type PolicyHandle } from './enforcer.js';
export type { ExtraHeaders } from './extra-headers.js';
export { type GraphQLContext, graphqlCaller } from './graphql-caller.js';
export type { HeaderDraft, LegacyHeaders } from './header-fields.js';
export type { Host } from './host.js';
export type { HttpOptions } from './http-options.js';
export type { HttpReservation } from './http-reservation.js';
export { inheritedOptions } from './inherited-options.js';
export { ipKey } from './ip-key.js';
export { byHeader, byIp, firstOf, headerKey } from './key-generators.js';
export { createMiddleware, type Middleware, type MiddlewareHost } from './middleware.js';
export { namedAfter } from './named-after.js';
export { PairCache } from './pair-cache.js';
export { PolicySet } from './policy-set.js';
export type { Peek, PolicyVerb, PolicyVerbs } from './policy-verbs.js';
export type { Refusal } from './problem.js';
export { type ProxyTrust, proxyTrustOf } from './proxy-trust.js';
export type { HttpRequest } from './request.js';
export { type HttpResponse, onAnswer, sendRefusal } from './response.js';
export { onResponseEnd } from './response-end.js';
export { type Route, routeName } from './route-name.js';
export { type SocketClient, socketCaller } from './socket-caller.js';
