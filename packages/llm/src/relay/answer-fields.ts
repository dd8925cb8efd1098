/**
 * The fields of a provider that clients get. Others name the account of the gateway (`openai-organization`), its limits
 * (`x-ratelimit-*`) and cookies, or belong to one connection.
 */
const PASSED_ON = [
  'content-type',
  'cache-control',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-request-id',
  'request-id',
  'openai-processing-ms',
  'openai-version',
] as const;

/** Returns the fields to send with an answer. */
export function answerFields({ headers }: Response): Headers {
  const fields = new Headers();
  for (const name of PASSED_ON) {
    const value = headers.get(name);
    if (value !== null) fields.set(name, value);
  }
  return fields;
}
