import type { Block } from '@sluice/core';

/** A block as answers show it. */
export interface ShownBlock {
  /** When it ends, or `forever`. */
  readonly until: string;
  readonly by: 'limit' | 'admin';
  readonly strikes: number;
  readonly reason?: string;
}

export function shownBlock({ untilMs, by, strikes, reason }: Block): ShownBlock {
  return {
    until: untilMs === 'forever' ? untilMs : new Date(untilMs).toISOString(),
    by,
    strikes,
    ...(reason !== undefined && { reason }),
  };
}
