/**
 * Wraps the stream of a subscription, so that it reports its end, whoever ended it. Returns undefined if the result is
 * no stream.
 */
export function watchStream(result: unknown, ended: () => void): AsyncIterableIterator<unknown> | undefined {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return undefined;
  const stream = (result as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const watched = async (step: Promise<IteratorResult<unknown>> | undefined): Promise<IteratorResult<unknown>> => {
    try {
      const { done = false, value } = (await step) ?? { done: true };
      if (done) ended();
      return { done, value };
    } catch (error) {
      ended();
      throw error;
    }
  };
  return {
    next: () => watched(stream.next()),
    return: () => watched(stream.return?.()),
    throw: (error) => watched(stream.throw?.(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
