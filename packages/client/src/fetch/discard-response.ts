/** A body up to this length is read to its end if nobody wants it, because the connection can be used again then. */
const MOST_DRAINED_BYTES = 65_536;

/** Ends a response that nobody gets. */
export function discardResponse(response: Response): void {
  const { body, headers } = response;
  if (!body) return;
  const length = headers.get('content-length');
  const isShort = length !== null && Number(length) <= MOST_DRAINED_BYTES;
  // A connection that breaks meanwhile has ended, too.
  (isShort ? drain(body) : body.cancel()).catch(() => {});
}

/** Reads a body to its end. The length that is stated may be that of a compressed one, so a longer body is cancelled. */
async function drain(body: ReadableStream<Uint8Array>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // To leave the loop cancels the body.
    if (bytes > MOST_DRAINED_BYTES) return;
  }
}
