/**
 * What a whole decision tells a client. One object is filled over and over, so that what is allocated for an answer is
 * what the contender itself allocates.
 */
export interface Answer {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetMs: number | 'never';
  /** 0 when allowed. */
  retryMs: number | 'never';
}

export const blankAnswer = (): Answer => ({ allowed: false, limit: 0, remaining: 0, resetMs: 0, retryMs: 0 });
