/** A report that says when its turn came. */
export const reportAt = (nowMs: number) => ({ report: 'All is well.', startedAt: new Date(nowMs).toISOString() });
