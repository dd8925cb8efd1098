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
  /**
   * The contender's own object, kept until the next decision as an application keeps it. Otherwise the compiler may see
   * that nobody uses the object, and not make it. Whether it sees that depends on how much it has inlined by chance.
   */
  decision?: unknown;
}

export const blankAnswer = (): Answer => ({ allowed: false, limit: 0, remaining: 0, resetMs: 0, retryMs: 0 });
