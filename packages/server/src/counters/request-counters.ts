import { RequestCounter } from './request-counter.js';

/** The ways in which the service is asked. */
const PROTOCOLS = ['forward_auth', 'auth_request', 'decisions', 'json', 'rls'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** The counters of all protocols. The program makes one, and gives it to all listeners. */
export class RequestCounters {
  readonly #byProtocol = new Map(PROTOCOLS.map((protocol) => [protocol, new RequestCounter()]));

  /** Returns the counter of a protocol. Keep it, so that a request does not search. */
  of(protocol: Protocol): RequestCounter {
    return this.#byProtocol.get(protocol) as RequestCounter;
  }

  entries(): IterableIterator<[Protocol, RequestCounter]> {
    return this.#byProtocol.entries();
  }
}
