import { RequestTally } from './request-tally.js';

/** The ways in which the service is asked. */
export const PROTOCOLS = ['forward_auth', 'auth_request', 'decisions', 'json', 'rls'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** The tallies of all protocols. The program makes one, and gives it to all listeners. */
export class RequestTallies {
  readonly #byProtocol = new Map(PROTOCOLS.map((protocol) => [protocol, new RequestTally()]));

  /** Returns the tally of a protocol. Keep it, so that a request does not search. */
  of(protocol: Protocol): RequestTally {
    return this.#byProtocol.get(protocol) as RequestTally;
  }

  entries(): IterableIterator<[Protocol, RequestTally]> {
    return this.#byProtocol.entries();
  }
}
