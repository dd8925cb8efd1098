/** Returns a response like the given one, and calls `ended` when its body has ended: read, cancelled or broken. */
export function watchedResponse(response: Response, ended: () => void): Response {
  const { body, status, statusText, headers, url, redirected, type } = response;
  if (!body) {
    ended();
    return response;
  }
  const watched = new Response(watchedBody(body, ended), { status, statusText, headers });
  // The constructor has no options for what only a network knows.
  return Object.defineProperties(watched, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
  });
}

/** Ends the bodies of answers that were collected unread. It must not reach the streams that it watches. */
const COLLECTED = new FinalizationRegistry<() => void>((end) => end());

function watchedBody(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // The first piece comes unasked, so that an empty body ends: its head does not say so if the server sends it in chunks.
  const first = reader.read();
  let isFirstTaken = false;
  let isClosed = false;
  let hasEnded = false;
  const end = (): void => {
    if (!hasEnded) ended();
    hasEnded = true;
  };
  const endIfRead = (): void => {
    if (isClosed && isFirstTaken) end();
  };
  first.then(({ done }) => done && end()).catch(() => {});
  // Also if it breaks while nobody reads, as it does when the signal aborts.
  reader.closed.then(() => {
    isClosed = true;
    endIfRead();
  }, end);
  const cancel = async (reason?: unknown): Promise<void> => {
    // It may have ended already, with a first piece that nobody wants.
    end();
    await reader.cancel(reason);
  };
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = isFirstTaken ? reader.read() : first;
        isFirstTaken = true;
        const { done, value } = await next;
        if (done) controller.close();
        else controller.enqueue(value);
        endIfRead();
      },

      cancel,
    },
    // From the second piece on, it reads only what the caller reads.
    { highWaterMark: 0 },
  );
  // A body that breaks has ended, too.
  COLLECTED.register(watched, () => void cancel().catch(() => {}));
  return watched;
}
