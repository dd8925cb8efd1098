/** The reasons why a service cannot be reached, by the code of the error. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is the service running?',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  UND_ERR_SOCKET: 'the connection was cut',
};

/** Says why `fetch` got no answer. */
export function unreachableReason(error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} seconds`;
  return REASONS[cause?.code ?? ''] ?? cause?.message ?? message;
}
