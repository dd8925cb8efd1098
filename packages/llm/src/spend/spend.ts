import type { Key } from '@sluice/core';
import type { LlmPlan } from '../plan/llm-plan.js';

/** Whose limits to look at, for `llm.spend`. At least one key is needed. */
export interface SpendQuery {
  /** The key of the caller, as the `keyGenerator` of the policy returns it. Absent: only scopes are shown. */
  readonly key?: Key;
  /** The plan of the caller. Needed if `plan` is a function, and there is no `planOfKey`. */
  readonly plan?: LlmPlan;
  /** The keys of scopes, by their names: `{ org: 'acme' }`. With a plan where the scope's is a function. Default: no scope is shown. */
  readonly scopes?: Readonly<Record<string, Key | ScopeQuery>>;
  /** The name of the policy. Needed if several policies use these limits. */
  readonly policy?: string;
}

/** The key of a scope, and its plan. */
export interface ScopeQuery {
  /** The key, as the `keyGenerator` of the scope returns it. */
  readonly key: Key;
  /** The plan of the scope. Needed if it is a function of the request, and there is no `planOfKey`. */
  readonly plan?: LlmPlan;
}

/** What one limit has counted. */
interface CountedLimit {
  /** The name of the limit in the policy: `perDay`, `model-tpm`, `org-perMonth`. */
  readonly name: string;
  /** The scope whose key it counts; absent for the caller's own plan. */
  readonly scope?: string;
  /** The model that it counts; absent if it counts all. */
  readonly model?: string;
  /** What `resetAt` ends: `'ever'` never ends; `'held'` counts what is under way. */
  readonly period: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'ever' | 'held';
  /** When everything is back that is used now: the end of the calendar's day or month. RFC 3339; null if it never comes back. */
  readonly resetAt: string | null;
}

/** A budget: a limit of money. Amounts are whole micro-dollars. */
export interface BudgetSpend extends CountedLimit {
  /** What may be spent. */
  readonly limit: number;
  /** What settled calls cost. It exceeds the limit if calls cost more than they held. */
  readonly spent: number;
  /** What calls hold that are under way. Some of it comes back when they are settled. */
  readonly held: number;
  /** What calls can still hold: at least 0. */
  readonly left: number;
  /** The same four as exact dollars: `'12'`, `'0.50'`, `'0.000125'`. */
  readonly dollars: Readonly<Record<'limit' | 'spent' | 'held' | 'left', string>>;
}

/** Another limit: of requests, tokens, or calls at the same time. */
export interface LimitUse extends CountedLimit {
  /** `'requests'`, `'tokens'`, `'input-tokens'`, `'output-tokens'` or `'concurrent-requests'`. */
  readonly unit: string;
  /** How many units are allowed. */
  readonly limit: number;
  /** What was used and is held. */
  readonly used: number;
  /** What can still be used: at least 0. */
  readonly left: number;
}

/** What a key has spent, and what is left. All of it was read in one step. */
export interface Spend {
  /** The name of the policy. */
  readonly policy: string;
  /** The store's time of the reading. RFC 3339. */
  readonly at: string;
  /** In the order of the plan: the caller's own first, and then scopes. */
  readonly budgets: readonly BudgetSpend[];
  /** All other limits, in the same order. */
  readonly limits: readonly LimitUse[];
}
