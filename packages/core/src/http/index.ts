/**
 * `@sluice/core/http`: the parts of adapters for frameworks. `@sluice/core/application` lists what users need.
 * To write an adapter, read `docs/writing-an-adapter.md`.
 *
 * @example
 * const { enforce, policy, reset } = createEnforcer(options, { requestOf: (req) => req, proxyTrust: () => 'none' });
 * @module
 */

export { checkCost } from '../limiter/check-builder.js';
export { checkPolicy } from '../limiter/check-policy.js';
export { OutsidePolicy } from '../limiter/outside-policy.js';
export { checkSettled } from '../limiter/settle.js';
export { durationRule } from '../values/duration.js';
export { show } from '../values/error.js';
export { publish } from '../values/events.js';
export { type Eventual, recover, whenReady, whenSettled } from '../values/eventual.js';
export { hash } from '../values/key.js';
export { murmurHash } from '../values/murmur-hash.js';
export { nearest } from '../values/nearest.js';
export { checkFunction } from '../values/option-checks.js';
export { suggestionFor } from '../values/option-suggestions.js';
export { usualOnStoreError } from '../values/quota-unit.js';
export { warn } from '../values/warning.js';
export { carriedRequest, REQUEST, type RequestCarrier } from './carried-request.js';
export { type Admission, type AdmittingHost, carryOut, type MiddlewareHost } from './carry-out.js';
export { checkObject } from './check-object.js';
export { checkPartialOptions } from './check-partial-options.js';
export type { Enforcement } from './enforcement.js';
export { createEnforcer } from './enforcer.js';
export type { Host } from './host.js';
export type { HostSpend } from './host-spend.js';
export { HttpRefusal, type HttpRefusalOptions, type RefusalReason } from './http-refusal.js';
export type { HttpReservation } from './http-reservation.js';
export { type AddressList, addressList, addressMatcher } from './keys/address-list.js';
export { ipKey } from './keys/ip-key.js';
export { byHeader, byIp, firstOf, headerKey } from './keys/key-generators.js';
export { type ProxyTrust, proxyTrustOf } from './keys/proxy-trust.js';
export { type LimiterOptions, optionsOf, type RateLimitSource } from './limiter-options.js';
export { createMiddleware, type Middleware } from './middleware.js';
export { isUpgraded } from './node/is-upgraded.js';
export { listenOnce } from './node/listen-once.js';
export { onFieldsSent } from './node/on-fields-sent.js';
export { fieldOf, type HttpRequest } from './node/request.js';
export { type HttpResponse, isSharedField, type NodeResponse, onAnswer, sendRefusal } from './node/response.js';
export { type Outcome, onResponseEnd } from './node/response-end.js';
export { sentContentType } from './node/sent-content-type.js';
export type { HttpOptions } from './options.js';
export type { Enforcer, PolicyHandle } from './policy-handle.js';
export { PolicySet } from './policy-set.js';
export type { Refusal } from './problem.js';
export { REQUEST_LIMITER, type RequestCall, type RequestDecisions, type RequestLimiter } from './request-limiter.js';
export { joinRequestPolicies, passedPoliciesOf, type RequestPolicies, requestPoliciesOf } from './request-policies.js';
export { createNodeShedding, type NodeShedding } from './shedding/node-shedding.js';
export type { ShedLoadOptions } from './shedding/options.js';
export { permitOf } from './shedding/permit-of.js';
export { leaveUnread, refuseUnread } from './shedding/refuse-unread.js';
export type { ShedRefusal } from './shedding/shed-refusal.js';
export { createShedding, type Shedding, type SheddingHost, type SheddingRequest } from './shedding/shedding.js';
