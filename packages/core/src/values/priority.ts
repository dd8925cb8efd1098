/** How important a request is. */
export type Priority = 'critical' | 'normal' | 'low';

/** From the most important to the least important. */
export const PRIORITIES: readonly Priority[] = ['critical', 'normal', 'low'];

export function isPriority(value: unknown): value is Priority {
  return rankOf(value) !== undefined;
}

/** Returns the place of a class in `PRIORITIES`; undefined if it is none. */
export function rankOf(priority: unknown): number | undefined {
  // Every request comes here, and most of them are normal.
  if (priority === 'normal') return 1;
  if (priority === 'critical') return 0;
  if (priority === 'low') return 2;
  return undefined;
}
