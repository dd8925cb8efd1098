import type { CallRefusal } from './call-refusal.js';

/** The numbers of a limit that refused, as bodies of refusals state them. */
export interface LimitNumbers {
  readonly name: string;
  /** For example `tokens`, or `micro-dollars`. */
  readonly unit: string;
  readonly limit: number;
  readonly used: number;
  /** When the limit is fresh again if nothing more is used; null if it never is. RFC 3339. */
  readonly resetAt: string | null;
}

/** Returns the numbers of the limits that refused. Those of money only if the application shows them. */
export function limitNumbers({ refusing }: CallRefusal, nowMs: number, showBudget: boolean): readonly LimitNumbers[] {
  return refusing
    .filter(({ limit }) => showBudget || limit?.dimension.counts !== 'money')
    .map(({ verdict, limit }) => ({
      name: verdict.name,
      unit: limit?.dimension.unit ?? verdict.quotaUnit ?? 'requests',
      limit: verdict.limit.quota,
      used: verdict.used,
      resetAt: verdict.resetAfterMs === 'never' ? null : new Date(nowMs + verdict.resetAfterMs).toISOString(),
    }));
}
