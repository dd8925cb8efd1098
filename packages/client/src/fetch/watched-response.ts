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

/** Cancels the bodies of answers that were collected unread. It must not reach the streams that it watches. */
const COLLECTED = new FinalizationRegistry<ReadableStreamDefaultReader<Uint8Array>>((reader) => {
  // A body that breaks has ended, too.
  reader.cancel().catch(() => {});
});

function watchedBody(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // Also if it breaks while nobody reads, as it does when the signal aborts.
  reader.closed.then(ended, ended);
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },

      cancel: (reason) => reader.cancel(reason),
    },
    // Reads only what the caller reads.
    { highWaterMark: 0 },
  );
  COLLECTED.register(watched, reader);
  return watched;
}
