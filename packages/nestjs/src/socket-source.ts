import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type HttpRequest, listenOnce } from '@sluice/core/http';
import type { InvocationSource } from './invocation-source.js';

/** A client of socket.io or ws. socket.io keeps the handshake; ws has only the connection. */
export type SocketClient = EventEmitter & {
  readonly handshake?: { readonly address: string; readonly url: string; readonly headers: HttpRequest['headers'] };
  readonly _socket?: Socket;
  /** In socket.io. */
  readonly connected?: boolean;
  /** In ws. */
  readonly readyState?: number;
};

/** The `readyState` of a closed WebSocket. */
const CLOSED = 3;

/**
 * Returns the source of calls over a WebSocket: a client that makes many calls until it leaves. It counts by the
 * address that the client connected from.
 *
 * @example new Invocation(socketSource(client))
 */
export function socketSource(client: SocketClient): InvocationSource {
  const { address = client._socket?.remoteAddress, url = '', headers = {} } = client.handshake ?? {};
  return {
    request: { method: 'GET', url, headers, ip: address },
    isShared: true,
    onGone: (notify) => {
      if (!hasGone(client)) return listenOnce(client, client.handshake ? 'disconnect' : 'close', notify);
      notify();
      return () => {};
    },
  };
}

function hasGone({ connected, readyState }: SocketClient): boolean {
  return connected === false || readyState === CLOSED;
}
