/** The lowest status of a response that ends a request. */
const FIRST_FINAL_STATUS = 200;

/**
 * Changes the header fields of a `Response`, and returns it. The result is a copy if its fields cannot be changed, as those of a response from
 * `fetch()` or `Response.redirect()`, and if it has no body: an application may send such a one again, to the next client. A response that
 * changes the protocol of its connection has no copy: it stays as it is then.
 *
 * @param change - may be called a second time, with the fields of the copy
 */
export function withFields(response: Response, change: (fields: Headers) => void): Response {
  const hasCopy = response.status >= FIRST_FINAL_STATUS;
  if (!hasCopy || !isWithoutBody(response)) {
    try {
      change(response.headers);
      return response;
    } catch {
      if (!hasCopy) return response;
    }
  }
  const copy = new Response(response.body, response);
  change(copy.headers);
  return copy;
}

/** The type is looked at first: some runtimes send a text sooner as long as nobody has asked for its stream. */
function isWithoutBody(response: Response): boolean {
  return !response.headers.has('content-type') && response.body === null;
}
