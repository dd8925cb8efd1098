import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { ExecutionContext } from '@nestjs/common';
import { type HttpRequest, type Outcome, onResponseEnd } from '@sluice/core/http';
import { type PlatformResponse, rawOf } from './platform-response.js';

/** Who has called, by whatever way. */
export interface Peer {
  readonly request: HttpRequest;
  /** Absent where there is none to write to. */
  readonly response?: PlatformResponse | undefined;
  /** What stands for a call whose guard takes this for its request. */
  counted(request: HttpRequest): HttpRequest;
  /** Tells when nobody waits for an answer any more. Returns the way to stop. */
  onEnd(tell: (outcome: Outcome) => void): () => void;
}

/** A call by a way that has no address. */
const NOBODY: HttpRequest = Object.freeze({ method: '', url: '', headers: {} });

const nothing = (): void => {};

export function peerOf(context: ExecutionContext): Peer {
  const args = context.getArgs();
  switch (context.getType<string>()) {
    case 'http':
      return { ...overHttp(args[0], args[1]), counted: (request) => request };
    case 'graphql': {
      // Before the last, also where an entity is resolved, which has no parent.
      const { req, request, res, reply = res } = args.at(-2) ?? {};
      return overHttp(req ?? request ?? reply?.request ?? NOBODY, reply);
    }
    case 'ws':
      return overSocket(args[0]);
    default:
      return { request: NOBODY, counted: copyOf, onEnd: () => nothing };
  }
}

function overHttp(request: HttpRequest, response: PlatformResponse | undefined): Peer {
  const onEnd: Peer['onEnd'] = (tell) => {
    if (response) onResponseEnd(rawOf(response), tell);
    return nothing;
  };
  return { request, response, counted: copyOf, onEnd };
}

/** A client of socket.io or ws: the first keeps the handshake, the second no more than the connection. */
type SocketClient = EventEmitter & {
  readonly handshake?: { readonly address: string; readonly url: string; readonly headers: HttpRequest['headers'] };
  readonly _socket?: Socket;
};

function overSocket(client: SocketClient): Peer {
  const { address = client._socket?.remoteAddress, url = '', headers = {} } = client.handshake ?? {};
  const onEnd: Peer['onEnd'] = (tell) => {
    const listeners = listenersOf(client);
    const end = (): void => tell({ status: 499, aborted: true });
    listeners.add(end);
    return () => listeners.delete(end);
  };
  return { request: { method: 'GET', url, headers, ip: address }, counted: copyOf, onEnd };
}

const leaving = new WeakMap<object, Set<() => void>>();

/** One listener for a client, however many messages it has under way. */
function listenersOf(client: SocketClient): Set<() => void> {
  const known = leaving.get(client);
  if (known) return known;
  const listeners = new Set<() => void>();
  leaving.set(client, listeners);
  client.once(client.handshake ? 'disconnect' : 'close', () => {
    for (const end of listeners) end();
  });
  return listeners;
}

/** Many calls share a request, or none has one of its own. The request of an upgrade knows the address by its socket. */
function copyOf(request: HttpRequest & { readonly socket?: Socket }): HttpRequest {
  const { method, url, headers, ip = request.socket?.remoteAddress } = request;
  return { method, url, headers, ip };
}
