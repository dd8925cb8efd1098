/** A body up to this length is read to its end if nobody wants it, because the connection can be used again then. */
const MOST_DRAINED_BYTES = 65_536;

/** Ends a response that nobody gets. */
export function discardResponse(response: Response): void {
  const { body, headers } = response;
  if (!body) return;
  const length = headers.get('content-length');
  const isShort = length !== null && Number(length) <= MOST_DRAINED_BYTES;
  const ended: Promise<unknown> = isShort ? response.arrayBuffer() : body.cancel();
  // A connection that breaks meanwhile has ended, too.
  ended.catch(() => {});
}
