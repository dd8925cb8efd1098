import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { ExecutionContext } from '@nestjs/common';
import { Call, type Caller, type HttpRequest, listenOnce } from '@sluice/core/http';

/** What a handler runs in that is not called by HTTP: its parameters are not told which call they belong to. */
export const currentCall = new AsyncLocalStorage<Call>();

/** Where a request, or the arguments of a handler, carry their call. */
const CALL = Symbol('sluice.call');

/**
 * The call of a handler, of which its guards, its interceptor and its parameters know the same. By HTTP the request is the
 * call. Otherwise one may hold many calls, each with arguments of its own.
 */
export function callOf(context: ExecutionContext): Call {
  const key: object = context.getType() === 'http' ? context.getArgByIndex(0) : context.getArgs();
  const bearer: { [CALL]?: Call } = key;
  bearer[CALL] ??= new Call(callerOf(context));
  return bearer[CALL];
}

/** A call by a way that has no address. */
const NOBODY: HttpRequest = Object.freeze({ method: '', url: '', headers: {} });

function callerOf(context: ExecutionContext): Caller {
  const args = context.getArgs();
  switch (context.getType<string>()) {
    case 'http':
      return { request: args[0], response: args[1], isShared: false };
    case 'graphql': {
      // Before the last, also where an entity is resolved, which has no parent.
      const { req, request, res, reply: response = res } = args.at(-2) ?? {};
      return { request: req ?? request ?? response?.request ?? NOBODY, response, isShared: true };
    }
    case 'ws':
      return overSocket(args[0]);
    default:
      return { request: NOBODY, isShared: true };
  }
}

/** A client of socket.io or ws: the first keeps the handshake, the second no more than the connection. */
type SocketClient = EventEmitter & {
  readonly handshake?: { readonly address: string; readonly url: string; readonly headers: HttpRequest['headers'] };
  readonly _socket?: Socket;
};

function overSocket(client: SocketClient): Caller {
  const { address = client._socket?.remoteAddress, url = '', headers = {} } = client.handshake ?? {};
  return {
    request: { method: 'GET', url, headers, ip: address },
    isShared: true,
    onGone: (tell) => listenOnce(client, client.handshake ? 'disconnect' : 'close', tell),
  };
}
