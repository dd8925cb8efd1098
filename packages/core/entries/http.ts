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
export {
  KEY_VIEW,
  type KeyCounter,
  type KeyCounts,
  type KeyLimit,
  type KeyView,
} from '@sluice/core/src/limiter/policy/key-view';
export { checkSettled } from '@sluice/core/src/limiter/settle';
export type { Enforcer, PolicyHandle } from '@sluice/http/deciding/policy-handle';
export { type Admission, type AdmittingHost, carryOut, type MiddlewareHost } from '@sluice/http/enforcement/carry-out';
export type { Enforcement } from '@sluice/http/enforcement/enforcement';
export { createEnforcer } from '@sluice/http/enforcer';
export { CLIENT_LEFT, type ResponseWatch, watchResponse } from '@sluice/http/fetch/response-watch';
export { isResponse, withReturnedResponse } from '@sluice/http/fetch/returned-response';
export { withFields } from '@sluice/http/fetch/with-fields';
export { type ConstantText, constantText } from '@sluice/http/headers/constant-text';
export { type AddressList, addressList, addressMatcher } from '@sluice/http/keys/address-list';
export { forwardedAddress, trustInProxies } from '@sluice/http/keys/forwarded-address';
export { ipKey } from '@sluice/http/keys/ip-key';
export { byHeader, byIp, firstOf, headerKey } from '@sluice/http/keys/key-generators';
export { type ProxyTrust, proxyTrustOf } from '@sluice/http/keys/proxy-trust';
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
export { checkPartialOptions } from '@sluice/http/options/check-partial-options';
export { type LimiterOptions, optionsOf, type RateLimitSource } from '@sluice/http/options/limiter-options';
export type { HttpOptions } from '@sluice/http/options/options';
export {
  REQUEST_LIMITER,
  type RequestCall,
  type RequestDecisions,
  type RequestLimiter,
} from '@sluice/http/options/request-limiter';
export { PolicySet } from '@sluice/http/policy-set';
export { HttpRefusal, type HttpRefusalOptions, type RefusalReason } from '@sluice/http/refusals/http-refusal';
export type { Refusal } from '@sluice/http/refusals/problem';
export { carriedRequest, REQUEST, type RequestCarrier } from '@sluice/http/request/carried-request';
export type { Host } from '@sluice/http/request/host';
export type { HostSpend } from '@sluice/http/request/host-spend';
export type { HttpReservation } from '@sluice/http/request/http-reservation';
export { joinRequestPolicies, passedPoliciesOf, requestPoliciesOf } from '@sluice/http/request/policies-of-request';
export type { RequestPolicies } from '@sluice/http/request/request-policies';
export { checkContext } from '@sluice/http/without-response';
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
