import type { ServerResponse } from 'node:http';

/**
 * Calls `notify` when the header fields of a response go out, before its body. Node has no event for it, but calls
 * `writeHead` for every response.
 */
export function onFieldsSent(response: ServerResponse, notify: () => void): void {
  const { writeHead } = response;
  response.writeHead = (...args: unknown[]): ServerResponse => {
    Reflect.apply(writeHead, response, args);
    notify();
    return response;
  };
}
