/** The first argument of `fetch`. */
export type FetchInput = Parameters<typeof fetch>[0];

export function urlOf(input: FetchInput): string {
  return isRequest(input) ? input.url : String(input);
}

/** Whether the input is a request, also of another copy of the class. */
export function isRequest(input: FetchInput): input is Request {
  return typeof input === 'object' && 'method' in input && 'headers' in input;
}
