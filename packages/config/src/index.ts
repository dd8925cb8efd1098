/**
 * `@sluice/config`: policies from a file, from Redis or over HTTP, that change while requests run.
 *
 * @module
 */

export type { LimitStatus } from '@sluice/core';
export type {
  ByName,
  CodeFunctions,
  CompileContext,
  CompiledPolicy,
  RequestReader,
} from './compile/compile-context.js';
export { compilePolicy } from './compile/compile-policy.js';
export { tierOf } from './compile/tier-of.js';
export { diffPolicyFiles } from './diff/diff-policy-files.js';
export type { PolicyChange, SettingValue } from './diff/policy-change.js';
export { type ExplainOptions, explainPolicies } from './explain/explain-policies.js';
export type {
  ExplainedLimit,
  ExplainedPolicy,
  ExplainedSentence,
  FilePath,
  MostUnits,
} from './explain/explanation.js';
export { limitSummary } from './explain/limit-sentence.js';
export { lineFinder } from './explain/line-finder.js';
export { chosenKeys } from './file/chosen-keys.js';
export { hashedCustomer } from './file/customer-name.js';
export { type Mistake, type MistakeCode, mistakeText } from './file/mistake.js';
export type { PolicyCheck, PolicyObjection } from './file/policy-check.js';
export type {
  Brake,
  CostRule,
  CustomerRule,
  Enforcement,
  GuaranteeRule,
  KeyRule,
  LimitRule,
  Override,
  PolicyFile,
  PolicyRule,
  RolloutStep,
  SlowDownRule,
  TierRule,
  Variant,
} from './file/policy-file.js';
export {
  type ReadInSlicesOptions,
  type ReadPolicyFile,
  type ReadPolicyFileOptions,
  readPolicyFile,
  readPolicyFileInSlices,
} from './file/read-policy-file.js';
export { serviceCheck } from './file/service-check.js';
export { type AuditWriter, SafeWriter } from './live/audit.js';
export type { ControlState, Controls } from './live/controls.js';
export { type EnforcementOverride, LONGEST_OVERRIDE_MS } from './live/enforcement-order.js';
export { suspicionsOf } from './live/guard.js';
export type {
  ChangeReason,
  LivePolicies,
  ReloadOptions,
  ReloadResult,
  SetEnforcementOptions,
} from './live/live-policies.js';
export { type PoliciesOptions, policies } from './live/policies.js';
export type { PolicyStatus } from './live/policy-status.js';
export { type RedisControlsOptions, redisControls } from './live/redis-controls.js';
export { type MatchedRequest, type RequestMatch, requestMatcher } from './match/request-matcher.js';
export { type FromFileOptions, fromFile } from './source/from-file.js';
export { type FromHttpOptions, fromHttp } from './source/from-http.js';
export { type FromRedisOptions, fromRedis } from './source/from-redis.js';
export type { CallingClient, RedisClient, RedisSubscriber, SendingClient } from './source/redis-client.js';
export type { Source, SourceText } from './source/source.js';
