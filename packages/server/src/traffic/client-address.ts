// Why it is so: core/docs/why/decision-service.md

import type { IncomingHttpHeaders } from 'node:http';
import { addressMatcher } from '@sluice/core/http';
import { InputProblem } from '../http/input-problem.js';

/** The only field that is a list, to which each proxy adds whom it has its request from. */
const LIST = 'x-forwarded-for';

/** Returns the address of the client for whom a trusted proxy asks. */
export type AddressReader = (peer: string | undefined, headers: IncomingHttpHeaders) => string | undefined;

const isAddress = addressMatcher(['0.0.0.0/0', '::/0'], 'all');

/**
 * Makes the function that reads the address of a client from one field; all other fields are ignored. Of `X-Forwarded-For`, it is
 * the last entry that no trusted proxy has: a client can write only the entries before it.
 *
 * A request without the field is that of the peer itself, unless it is forwarded.
 *
 * @param field - its name in lower case
 */
export function addressReader(field: string, isTrusted: (ip: string | undefined) => boolean): AddressReader {
  const read = field === LIST ? (text: string) => lastUntrusted(text, isTrusted) : checked;

  function checked(text: string): string {
    const address = text.trim();
    if (isAddress(address)) return address;
    throw new InputProblem(400, [{ header: field, detail: 'must be an address' }]);
  }

  /** Goes from the end, so that nobody can make it long by writing much into the beginning. */
  function lastUntrusted(text: string, isProxy: typeof isTrusted): string {
    for (let end = text.length; ; ) {
      const comma = text.lastIndexOf(',', end - 1);
      const address = checked(text.slice(comma + 1, end));
      if (comma <= 0 || !isProxy(address)) return address;
      end = comma;
    }
  }

  return (peer, headers) => {
    const value = headers[field];
    if (typeof value === 'string') return read(value);
    if (!isForwarded(headers)) return peer;
    throw new InputProblem(400, [
      { header: field, detail: 'is missing: let the proxy set it to the address of the client' },
    ]);
  };
}

/** Whether a proxy says what its client asked for. Then it must say who the client is, or all of its clients would be one. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return (
    headers['x-forwarded-method'] !== undefined ||
    headers['x-forwarded-uri'] !== undefined ||
    headers['x-forwarded-host'] !== undefined
  );
}
