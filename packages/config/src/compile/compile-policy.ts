import { everyone, type Key, SluiceError, unlimited } from '@sluice/core';
import { optionError, show } from '@sluice/core/http';
import type { LimitRule, PolicyFile, PolicyRule } from '../file/policy-file.js';
import { type AdmissionRules, admit, countedKey } from './admission.js';
import { type CallerReader, callerReader } from './caller.js';
import type { CodeFunctions, CompileContext, CompiledPolicy } from './compile-context.js';
import { costOf } from './cost.js';
import { Customers } from './customers.js';
import { type LimitChoice, limitOf } from './limit-choice.js';
import { nextStepMs, shareAt } from './rollout.js';
import { tierReader } from './tier.js';

type KeyReader<Req extends object> = (request: Req) => Key | undefined;

/**
 * Makes the options of a policy in a file, which every adapter's `rateLimit` and `createLimiter` take. They hold for this file.
 * For policies that follow changes of the file, use `policies`.
 *
 * Overrides, blocks and rollout steps begin and end by the clock of the store. A limit that nothing changes is static, and a
 * request takes the fast path.
 *
 * @throws SluiceError `SLUICE_OPTION` if the file has no policy of this name, or takes something from code that is not there
 * @example
 * const { file } = readPolicyFile('policies: { api: { key: client, limits: [...] } }');
 * const limiter = createLimiter(compilePolicy(file, 'api', { store: new MemoryStore() }));
 */
export function compilePolicy<Req extends object = object, Async extends boolean = false>(
  file: PolicyFile,
  name: string,
  context: CompileContext<Req, Async>,
): CompiledPolicy<Req, Async> {
  const policy = file.policies.get(name);
  if (!policy) throw unknownPolicy(name, file.policies.keys());
  checkFunctions(file, policy, context);
  const { store, enforcement = file.enforcement, costs } = context;
  const { onStoreError } = policy;
  if (enforcement === 'off') return { name, store, onStoreError, cost: 1, limits: policy.limits.map(notAsked<Req>) };
  const readers = callerReaders(file, policy, context);
  const items = limitItems(file, policy, context, readers);
  return { name, store, onStoreError, cost: costOf<Req>(policy.cost, costs?.[name]), limits: items };
}

/** The error for a name that a file does not have. */
export function unknownPolicy(name: string, names: Iterable<string>): SluiceError {
  const known = [...names].map((one) => JSON.stringify(one)).join(', ');
  const message = `the policy file has no policy ${show(name)}: it has ${known === '' ? 'none' : known}`;
  return new SluiceError('SLUICE_OPTION', message, { path: 'name', received: name });
}

/** A limit that asks no store, for `enforcement: off`. */
function notAsked<Req extends object>({ name }: LimitRule) {
  return { name, limit: unlimited(), keyGenerator: everyone() as KeyReader<Req> };
}

/** The readers of all keys that a policy uses, by name. The first key of the policy is that of its customers. */
function callerReaders<Req extends object>(
  file: PolicyFile,
  policy: PolicyRule,
  { keys }: CodeFunctions<Req>,
): ReadonlyMap<string, CallerReader<Req>> {
  const customers = Customers.of(file);
  const rules = keyNames(policy).flatMap((name) => {
    const rule = file.keys.get(name);
    return rule ? [[name, rule] as const] : [];
  });
  return new Map(rules.map(([name, rule]) => [name, callerReader(rule, customers, keys?.[name])]));
}

function keyNames({ key, limits }: PolicyRule): readonly string[] {
  return [...new Set([...key, ...limits.flatMap((limit) => limit.key ?? [])])];
}

function limitItems<Req extends object, Async extends boolean>(
  file: PolicyFile,
  policy: PolicyRule,
  context: CompileContext<Req, Async>,
  readers: ReadonlyMap<string, CallerReader<Req>>,
) {
  const { name, limits, key, tier, unknownCustomer } = policy;
  const nowMs = (): number => context.store.clock.now();
  const refuses = (context.enforcement ?? file.enforcement) === 'on';
  const caller = readers.get(key[0] as string);
  const choice: LimitChoice<Req> = {
    policy,
    caller,
    tier: tier && tierReader(tier, context.tiers?.[name]),
    nowMs,
  };
  const rules: AdmissionRules = { unknownCustomer, refuses, nowMs };
  const keyOf = new Map(
    [...readers].map(([own, read]) => [own, countedKey(read, own === key[0] ? unknownCustomer : undefined)]),
  );
  return limits.map((limit, i) => {
    const parts = (limit.key ?? key).map((own) => keyOf.get(own) as KeyReader<Req>);
    return {
      name: limit.name,
      limit: limitOf(file, limit, choice),
      // The first key is read once for each request, before anything is spent.
      keyGenerator: compound(i === 0 && caller ? admittedBy(caller, rules, parts) : parts),
      ...(limit.cost && { cost: costOf<Req>(limit.cost, context.costs?.[`${name}.${limit.name}`]) }),
      enforce: enforceOf(limit, policy, refuses && context.braked !== true, nowMs),
    };
  });
}

/** One key is not a compound one, so that `reset(headerKey(…))` finds it. */
function compound<Req extends object>(parts: readonly KeyReader<Req>[]): KeyReader<Req> | readonly KeyReader<Req>[] {
  return parts.length === 1 ? (parts[0] as KeyReader<Req>) : parts;
}

function admittedBy<Req extends object>(
  caller: CallerReader<Req>,
  rules: AdmissionRules,
  [first, ...rest]: readonly KeyReader<Req>[],
): readonly KeyReader<Req>[] {
  const admitted: KeyReader<Req> = (request) => {
    admit(caller(request), rules);
    return first?.(request);
  };
  return [admitted, ...rest];
}

/** The share is a number if no step is left, so that a policy takes the fast path when its rollout is over. */
function enforceOf(
  { enforce: own = 1 }: LimitRule,
  { rollout }: PolicyRule,
  refuses: boolean,
  nowMs: () => number,
): number | 'mark' | (() => number) {
  if (own === 'mark') return own;
  if (!refuses) return 0;
  const share = (atMs: number): number => Math.min(own, shareAt(rollout, atMs));
  const madeAtMs = nowMs();
  return nextStepMs(rollout, madeAtMs) === Number.POSITIVE_INFINITY ? share(madeAtMs) : () => share(nowMs());
}

/** Refuses a policy for which the code lacks a function that the file names. */
function checkFunctions<Req extends object>(
  file: PolicyFile,
  policy: PolicyRule,
  { keys, tiers, costs }: CodeFunctions<Req>,
): void {
  for (const name of keyNames(policy)) {
    if (file.keys.get(name)?.from === 'code') checkGiven(keys?.[name], 'keys', name);
  }
  if (policy.tier?.from === 'code') checkGiven(tiers?.[policy.name], 'tiers', policy.name);
  if (policy.cost.from === 'code') checkGiven(costs?.[policy.name], 'costs', policy.name);
  for (const { name, cost } of policy.limits) {
    const full = `${policy.name}.${name}`;
    if (cost?.from === 'code') checkGiven(costs?.[full], 'costs', full);
  }
}

function checkGiven(given: unknown, option: 'keys' | 'tiers' | 'costs', name: string): void {
  if (typeof given === 'function') return;
  throw optionError(
    `${option}[${JSON.stringify(name)}]`,
    'must be a function, because the policy file takes it from code',
    given,
  );
}
