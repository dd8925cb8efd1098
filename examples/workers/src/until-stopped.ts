/** Resolves with the first signal that asks this process to end. The same signal a second time ends it at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

/** Ends this process when the one that has forked it is gone, even if that was killed: nobody else would end it, and it keeps its port. */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref(); // and does not keep it alive
}
