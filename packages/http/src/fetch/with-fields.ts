/** The lowest status of a response that ends a request. */
const FIRST_FINAL_STATUS = 200;

/**
 * Changes the header fields of a `Response`, and returns it. The fields of a response from `fetch()` or `Response.redirect()` cannot be
 * changed, so that the result is a copy of such a one. A response that changes the protocol of its connection has no copy: it stays as
 * it is then.
 *
 * @param change - may be called a second time, with the fields of the copy
 */
export function withFields(response: Response, change: (fields: Headers) => void): Response {
  try {
    change(response.headers);
    return response;
  } catch {
    if (response.status < FIRST_FINAL_STATUS) return response;
    const copy = new Response(response.body, response);
    change(copy.headers);
    return copy;
  }
}
