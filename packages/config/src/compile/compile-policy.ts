import { SluiceError } from '@sluice/core';
import { optionError, show } from '@sluice/core/values';
import type { PolicyFile, PolicyRule } from '../file/policy-file.js';
import { admission, countedKey, exemption } from './admission.js';
import { type CallerReader, callerReader } from './caller.js';
import { type ByName, type CodeFunctions, type CompileContext, type CompiledPolicy, named } from './compile-context.js';
import { costOf } from './cost.js';
import { Customers } from './customers.js';
import { before, type CompiledLimit, limitItems, uncountedItems } from './limit-item.js';
import { nextStepMs, shareAt } from './rollout.js';
import { tierReader } from './tier.js';

/**
 * Makes the options of a policy in a file, which every adapter's `rateLimit` and `createLimiter` take. They hold for this file.
 * For policies that follow changes of the file, use `policies`.
 *
 * Overrides, blocks and rollout steps begin and end by the clock of the store. A limit that nothing changes is static, and a
 * request is the quickest to decide about.
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
  const { onStoreError, limits } = policy;
  if (enforcement === 'off') {
    return { name, store, onStoreError, cost: 1, limits: limits.flatMap((rule) => uncountedItems<Req, Async>(rule)) };
  }
  const skip = exemption(policy);
  return {
    name,
    store,
    onStoreError,
    cost: costOf<Req>(policy.cost, named(costs, name)),
    ...(skip && { skip }),
    limits: compiledLimits(file, policy, context, enforcement === 'on'),
  };
}

/** The error for a name that a file does not have. */
export function unknownPolicy(name: string, names: Iterable<string>): SluiceError {
  const known = [...names].map((one) => JSON.stringify(one)).join(', ');
  const message = `the policy file has no policy ${show(name)}: it has ${known === '' ? 'none' : known}`;
  return new SluiceError('SLUICE_OPTION', message, { path: 'name', received: name });
}

/** @param refuses - whether requests may be refused: false in shadow */
function compiledLimits<Req extends object, Async extends boolean>(
  file: PolicyFile,
  policy: PolicyRule,
  context: CompileContext<Req, Async>,
  refuses: boolean,
): readonly CompiledLimit<Req, Async>[] {
  const { name, key, tier, unknownCustomer } = policy;
  const [first] = key;
  const nowMs = (): number => context.store.clock.now();
  const readers = callerReaders(file, policy, context);
  const caller = tier?.from === 'customers' ? readers.get(first as string) : undefined;
  const keyOf = new Map(
    [...readers].map(([own, read]) => [own, countedKey(read, own === first ? unknownCustomer : undefined)]),
  );
  const ofPolicy = rolloutShare(policy, context.braked === true, nowMs);
  const items = policy.limits.flatMap((rule) =>
    limitItems<Req, Async>(rule, {
      file,
      policy,
      caller,
      tier: tier && tierReader(tier, named(context.tiers, name)),
      nowMs,
      keyOf,
      enforceOf: ({ enforce = 1 }) => enforceOf(smaller(enforce, ofPolicy), refuses),
      costBy: (limit) => named(context.costs, `${name}.${limit.name}`),
    }),
  );
  const mayRefuse = unknownCustomer === 'refuse' || Customers.of(file).haveBlocks;
  const admit = refuses ? admission(policy, mayRefuse ? caller : undefined, nowMs) : undefined;
  return admit ? before(admit, items) : items;
}

/** The readers of all keys that a policy uses, by name. */
function callerReaders<Req extends object>(
  file: PolicyFile,
  policy: PolicyRule,
  { keys }: CodeFunctions<Req>,
): ReadonlyMap<string, CallerReader<Req>> {
  const customers = policy.tier?.from === 'customers' ? Customers.of(file) : undefined;
  const rules = keyNames(policy).flatMap((name) => {
    const rule = file.keys.get(name);
    return rule ? [[name, rule] as const] : [];
  });
  return new Map(rules.map(([name, rule]) => [name, callerReader(rule, customers, named(keys, name))]));
}

function keyNames({ key, limits }: PolicyRule): readonly string[] {
  const own = limits.flatMap((limit) => [...(limit.key ?? []), ...(limit.guarantee?.key ?? [])]);
  return [...new Set([...key, ...own])];
}

type Share = number | 'mark' | (() => number);

/** How far a policy is enforced. A rollout is a number if no step is left, so that its requests are decided by the quick route of a memory store again. */
function rolloutShare({ enforce, rollout }: PolicyRule, isBraked: boolean, nowMs: () => number): Share {
  if (enforce !== undefined) return enforce;
  if (isBraked) return 0;
  const madeAtMs = nowMs();
  if (nextStepMs(rollout, madeAtMs) === Number.POSITIVE_INFINITY) return shareAt(rollout, madeAtMs);
  return () => shareAt(rollout, nowMs());
}

/** A mark never refuses, so it is smaller than every share. */
function smaller(own: number | 'mark', ofPolicy: Share): Share {
  if (own === 'mark' || ofPolicy === 'mark') return 'mark';
  return typeof ofPolicy === 'number' ? Math.min(own, ofPolicy) : () => Math.min(own, ofPolicy());
}

/** In shadow nothing is enforced, and marks stay marks. */
function enforceOf(share: Share, refuses: boolean): Share {
  return refuses || share === 'mark' ? share : 0;
}

/** Refuses a policy for which the code lacks a function that the file names. */
function checkFunctions<Req extends object>(
  file: PolicyFile,
  policy: PolicyRule,
  { keys, tiers, costs }: CodeFunctions<Req>,
): void {
  for (const name of keyNames(policy)) {
    if (file.keys.get(name)?.from === 'code') checkGiven(keys, 'keys', name);
  }
  if (policy.tier?.from === 'code') checkGiven(tiers, 'tiers', policy.name);
  if (policy.cost.from === 'code') checkGiven(costs, 'costs', policy.name);
  for (const { name, cost } of policy.limits) {
    const full = `${policy.name}.${name}`;
    if (cost?.from === 'code') checkGiven(costs, 'costs', full);
  }
}

function checkGiven(functions: ByName<unknown> | undefined, option: 'keys' | 'tiers' | 'costs', name: string): void {
  const given = named(functions, name);
  if (typeof given === 'function') return;
  throw optionError(
    `${option}[${JSON.stringify(name)}]`,
    'must be a function, because the policy file takes it from code',
    given,
  );
}
