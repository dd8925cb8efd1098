import { ProtocolMetrics } from './protocol-metrics.js';

/** The ways in which the service is asked. */
const PROTOCOLS = ['forward_auth', 'auth_request', 'decisions', 'json', 'rls'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** The metrics of all protocols. The program makes one, and gives it to all listeners. */
export class RequestMetrics {
  readonly #byProtocol = new Map(PROTOCOLS.map((protocol) => [protocol, new ProtocolMetrics()]));

  /** Returns the metrics of a protocol. Keep them, so that a request does not search. */
  of(protocol: Protocol): ProtocolMetrics {
    return this.#byProtocol.get(protocol) as ProtocolMetrics;
  }

  entries(): IterableIterator<[Protocol, ProtocolMetrics]> {
    return this.#byProtocol.entries();
  }
}
