/**
 * `@sluice/core/http`: the parts of adapters for frameworks. `@sluice/core/application` lists what users need.
 * To write an adapter, read `docs/writing-an-adapter.md`.
 *
 * @example
 * const { enforce, policy, reset } = createEnforcer(options, { requestOf: (req) => req, proxyTrust: () => 'none' });
 * @module
 */

export { carriedRequest, REQUEST, type RequestCarrier } from '@sluice/core/src/http/carried-request';
export { type Admission, type AdmittingHost, carryOut, type MiddlewareHost } from '@sluice/core/src/http/carry-out';
export { checkObject } from '@sluice/core/src/http/check-object';
export { checkPartialOptions } from '@sluice/core/src/http/check-partial-options';
export type { Enforcement } from '@sluice/core/src/http/enforcement';
export { createEnforcer } from '@sluice/core/src/http/enforcer';
export type { Host } from '@sluice/core/src/http/host';
export type { HostSpend } from '@sluice/core/src/http/host-spend';
export { HttpRefusal, type HttpRefusalOptions, type RefusalReason } from '@sluice/core/src/http/http-refusal';
export type { HttpReservation } from '@sluice/core/src/http/http-reservation';
export { type AddressList, addressList, addressMatcher } from '@sluice/core/src/http/keys/address-list';
export { ipKey } from '@sluice/core/src/http/keys/ip-key';
export { byHeader, byIp, firstOf, headerKey } from '@sluice/core/src/http/keys/key-generators';
export { type ProxyTrust, proxyTrustOf } from '@sluice/core/src/http/keys/proxy-trust';
export { type LimiterOptions, optionsOf, type RateLimitSource } from '@sluice/core/src/http/limiter-options';
export { createMiddleware, type Middleware } from '@sluice/core/src/http/middleware';
export { isUpgraded } from '@sluice/core/src/http/node/is-upgraded';
export { listenOnce } from '@sluice/core/src/http/node/listen-once';
export { onFieldsSent } from '@sluice/core/src/http/node/on-fields-sent';
export { fieldOf, type HttpRequest } from '@sluice/core/src/http/node/request';
export {
  type HttpResponse,
  isSharedField,
  type NodeResponse,
  onAnswer,
  sendRefusal,
} from '@sluice/core/src/http/node/response';
export { type Outcome, onResponseEnd } from '@sluice/core/src/http/node/response-end';
export { sentContentType } from '@sluice/core/src/http/node/sent-content-type';
export type { HttpOptions } from '@sluice/core/src/http/options';
export type { Enforcer, PolicyHandle } from '@sluice/core/src/http/policy-handle';
export { PolicySet } from '@sluice/core/src/http/policy-set';
export type { Refusal } from '@sluice/core/src/http/problem';
export {
  REQUEST_LIMITER,
  type RequestCall,
  type RequestDecisions,
  type RequestLimiter,
} from '@sluice/core/src/http/request-limiter';
export {
  joinRequestPolicies,
  passedPoliciesOf,
  type RequestPolicies,
  requestPoliciesOf,
} from '@sluice/core/src/http/request-policies';
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
