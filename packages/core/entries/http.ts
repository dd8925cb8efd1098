/**
 * `@sluice/core/http`: the parts of adapters for frameworks. `@sluice/core/application` lists what users need.
 * To write an adapter, read `docs/writing-an-adapter.md`.
 *
 * @example
 * const { enforce, policy, reset } = createEnforcer(options, { requestOf: (req) => req, proxyTrust: () => 'none' });
 * @module
 */

export { checkCost } from '@sluice/core/src/limiter/check-builder';
export { checkPolicy } from '@sluice/core/src/limiter/check-policy';
export { OutsidePolicy } from '@sluice/core/src/limiter/outside-policy';
export { checkSettled } from '@sluice/core/src/limiter/settle';
export { durationRule } from '@sluice/core/src/values/duration';
export { show } from '@sluice/core/src/values/error';
export { publish } from '@sluice/core/src/values/events';
export { type Eventual, recover, whenReady, whenSettled } from '@sluice/core/src/values/eventual';
export { hash } from '@sluice/core/src/values/key';
export { murmurHash } from '@sluice/core/src/values/murmur-hash';
export { nearest } from '@sluice/core/src/values/nearest';
export { checkFunction } from '@sluice/core/src/values/option-checks';
export { suggestionFor } from '@sluice/core/src/values/option-suggestions';
export { usualOnStoreError } from '@sluice/core/src/values/quota-unit';
export { warn } from '@sluice/core/src/values/warning';
export { carriedRequest, REQUEST, type RequestCarrier } from '@sluice/http/carried-request';
export { type Admission, type AdmittingHost, carryOut, type MiddlewareHost } from '@sluice/http/carry-out';
export { checkObject } from '@sluice/http/check-object';
export { checkPartialOptions } from '@sluice/http/check-partial-options';
export type { Enforcement } from '@sluice/http/enforcement';
export { createEnforcer } from '@sluice/http/enforcer';
export type { Host } from '@sluice/http/host';
export type { HostSpend } from '@sluice/http/host-spend';
export { HttpRefusal, type HttpRefusalOptions, type RefusalReason } from '@sluice/http/http-refusal';
export type { HttpReservation } from '@sluice/http/http-reservation';
export { type AddressList, addressList, addressMatcher } from '@sluice/http/keys/address-list';
export { ipKey } from '@sluice/http/keys/ip-key';
export { byHeader, byIp, firstOf, headerKey } from '@sluice/http/keys/key-generators';
export { type ProxyTrust, proxyTrustOf } from '@sluice/http/keys/proxy-trust';
export { type LimiterOptions, optionsOf, type RateLimitSource } from '@sluice/http/limiter-options';
export { createMiddleware, type Middleware } from '@sluice/http/middleware';
export { onAnswer, sendRefusal } from '@sluice/http/node/answer';
export { isUpgraded } from '@sluice/http/node/is-upgraded';
export { listenOnce } from '@sluice/http/node/listen-once';
export { onFieldsSent } from '@sluice/http/node/on-fields-sent';
export { fieldOf, type HttpRequest } from '@sluice/http/node/request';
export type { HttpResponse, NodeResponse } from '@sluice/http/node/response';
export { type Outcome, onResponseEnd } from '@sluice/http/node/response-end';
export { isSharedField } from '@sluice/http/node/response-fields';
export { sentContentType } from '@sluice/http/node/sent-content-type';
export type { HttpOptions } from '@sluice/http/options';
export { joinRequestPolicies, passedPoliciesOf, requestPoliciesOf } from '@sluice/http/policies-of-request';
export type { Enforcer, PolicyHandle } from '@sluice/http/policy-handle';
export { PolicySet } from '@sluice/http/policy-set';
export type { Refusal } from '@sluice/http/problem';
export {
  REQUEST_LIMITER,
  type RequestCall,
  type RequestDecisions,
  type RequestLimiter,
} from '@sluice/http/request-limiter';
export type { RequestPolicies } from '@sluice/http/request-policies';
export { createNodeShedding, type NodeShedding } from '@sluice/overload/shedding/node-shedding';
export type { ShedLoadOptions } from '@sluice/overload/shedding/options';
export { permitOf } from '@sluice/overload/shedding/permit-of';
export { leaveUnread, refuseUnread } from '@sluice/overload/shedding/refuse-unread';
export type { ShedRefusal } from '@sluice/overload/shedding/shed-refusal';
export {
  createShedding,
  type Shedding,
  type SheddingHost,
  type SheddingRequest,
} from '@sluice/overload/shedding/shedding';
