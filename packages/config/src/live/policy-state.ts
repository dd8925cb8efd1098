import type { PolicyEvent } from '@sluice/core';
import { nextStepMs, shareAt } from '../compile/rollout.js';
import type { PolicyFile, PolicyRule } from '../file/policy-file.js';
import { revisionOf } from '../source/source-text.js';
import type { EffectiveEnforcement } from './enforcement-order.js';

/** A text that was applied. */
export interface Applied {
  readonly file: PolicyFile;
  readonly revision: string;
  readonly origin: string;
}

/** Everything that says how policies decide, apart from the time. */
export interface PolicyState {
  readonly applied: Applied;
  /** Policies that the file has no more, with the last file that had them. */
  readonly retired: ReadonlyMap<string, PolicyFile>;
  readonly enforcement: EffectiveEnforcement;
  /** The policies that a brake has taken back. */
  readonly braked: ReadonlySet<string>;
}

/** A policy that decides, and the file that has it. */
export interface RuleInForce {
  readonly file: PolicyFile;
  readonly rule: PolicyRule;
}

/** Returns all policies that decide: those of the file, and those that it has no more. */
export function rulesInForce({ applied, retired }: Pick<PolicyState, 'applied' | 'retired'>): readonly RuleInForce[] {
  const { file } = applied;
  const own = [...file.policies.values()].map((rule) => ({ file, rule }));
  const gone = [...retired].flatMap(([name, last]) => {
    const rule = last.policies.get(name);
    return rule ? [{ file: last, rule }] : [];
  });
  return [...own, ...gone];
}

/** Returns the file with what the kill switch and the brakes have made of it. */
export function fileInForce({ applied: { file }, enforcement, braked }: PolicyState): PolicyFile {
  const policies = [...file.policies].map(([name, rule]): [string, PolicyRule] => [
    name,
    braked.has(name) ? { ...rule, rollout: ONLY_COUNTS, brake: undefined } : rule,
  ]);
  return { ...file, enforcement: enforcement.mode, policies: new Map(policies) };
}

const ONLY_COUNTS: PolicyRule['rollout'] = [{ fromMs: Number.NEGATIVE_INFINITY, enforce: 0 }];

/** Names the form of a policy: a brake holds until the file changes the policy, or a tier. All instances name it alike. */
export function formOf({ tiers }: PolicyFile, rule: PolicyRule): string {
  const limits = [...tiers].map(([tier, own]) => [tier, [...own]]);
  return revisionOf(JSON.stringify([rule, rule.limits.some(({ tiered }) => tiered) ? limits : []]));
}

/** Whether a rollout is enforced for some keys and not for all, so that a brake may have to act. */
export function isOnTrial({ rollout, brake }: PolicyRule, nowMs: number): boolean {
  const share = shareAt(rollout, nowMs);
  return brake !== undefined && share > 0 && share < 1;
}

/** When the state changes by itself; Infinity if it does not. */
export function nextMomentMs(state: PolicyState, untilMs: number, nowMs: number): number {
  const steps = rulesInForce(state).map(({ rule }) => nextStepMs(rule.rollout, nowMs));
  return Math.min(untilMs > nowMs ? untilMs : Number.POSITIVE_INFINITY, ...steps);
}

/** What differs between two states of one file. */
export function stateChanges(before: PolicyState, after: PolicyState, nowMs: number): PolicyEvent['changes'] {
  const [from, to] = [before.enforcement.mode, after.enforcement.mode];
  const braked = rulesInForce(after)
    .map(({ rule }) => rule)
    .filter(({ name }) => after.braked.has(name) && !before.braked.has(name));
  return [
    ...(from === to ? [] : [{ path: 'enforcement', from, to }]),
    ...braked.map(({ name, rollout }) => ({
      path: `policies.${name}.rollout`,
      from: shareAt(rollout, nowMs),
      to: 0,
    })),
  ];
}
