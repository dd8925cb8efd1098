/** How important a request is. */
export type Priority = 'critical' | 'normal' | 'low';

/** From the most important to the least important. */
export const PRIORITIES: readonly Priority[] = ['critical', 'normal', 'low'];
