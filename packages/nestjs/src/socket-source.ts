import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type HttpRequest, listenOnce } from '@sluice/core/http';
import type { InvocationSource } from './invocation-source.js';

/** A client of socket.io or ws: the first keeps the handshake, the second no more than the connection. */
export type SocketClient = EventEmitter & {
  readonly handshake?: { readonly address: string; readonly url: string; readonly headers: HttpRequest['headers'] };
  readonly _socket?: Socket;
  /** Of socket.io. */
  readonly connected?: boolean;
  /** Of ws. */
  readonly readyState?: number;
};

/** What the `readyState` of a WebSocket is once it has told of its end. */
const CLOSED = 3;

/**
 * Who calls over a WebSocket: a client that makes many calls, by the address it connected from, until it leaves.
 *
 * @example new Invocation(socketSource(client))
 */
export function socketSource(client: SocketClient): InvocationSource {
  const { address = client._socket?.remoteAddress, url = '', headers = {} } = client.handshake ?? {};
  return {
    request: { method: 'GET', url, headers, ip: address },
    isShared: true,
    onGone: (tell) => {
      if (!hasGone(client)) return listenOnce(client, client.handshake ? 'disconnect' : 'close', tell);
      tell();
      return () => {};
    },
  };
}

function hasGone({ connected, readyState }: SocketClient): boolean {
  return connected === false || readyState === CLOSED;
}
