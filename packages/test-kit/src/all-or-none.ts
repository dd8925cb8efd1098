/** Resolves with all results. If one fails, it undoes the results of the others, and rejects with the first error. */
export async function allOrNone<T>(works: readonly Promise<T>[], undo: (done: T) => Promise<unknown>): Promise<T[]> {
  const results = await Promise.allSettled(works);
  const failure = results.find((result) => result.status === 'rejected');
  const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (!failure) return done;
  await Promise.all(done.map(undo));
  throw failure.reason;
}
