import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { HttpRequest } from '@sluice/core/http';
import { type GraphQLContext, graphqlSource } from '../src/graphql-source.js';
import { Invocation, LEFT } from '../src/invocation.js';
import { NOBODY } from '../src/invocation-source.js';
import { type SocketClient, socketSource } from '../src/socket-source.js';

const request: HttpRequest = { method: 'POST', url: '/graphql', headers: {}, ip: '203.0.113.7' };

describe('A caller over a socket', () => {
  const clientWith = (properties: object): SocketClient => Object.assign(new EventEmitter(), properties);
  const handshake = { address: '203.0.113.7', url: '/?v=1', headers: { 'x-tenant': 'a' } };

  it.each<[library: string, client: SocketClient, request: HttpRequest]>([
    [
      'socket.io',
      clientWith({ handshake }),
      { method: 'GET', url: '/?v=1', headers: { 'x-tenant': 'a' }, ip: '203.0.113.7' },
    ],
    ['ws', clientWith({ _socket: { remoteAddress: '::1' } }), { method: 'GET', url: '', headers: {}, ip: '::1' }],
    ['something else', clientWith({}), { method: 'GET', url: '', headers: {}, ip: undefined }],
  ])('has the address of its connection: %s', (_, client, expected) => {
    expect(socketSource(client)).toMatchObject({ request: expected, isShared: true });
  });

  it.each<[event: string, client: SocketClient]>([
    ['disconnect', clientWith({ handshake })],
    ['close', clientWith({})],
  ])('has left with the event %s', (event, client) => {
    let notified = 0;
    socketSource(client).onGone?.(() => {
      notified += 1;
    });
    client.emit('other');
    expect(notified).toBe(0);
    client.emit(event);
    expect(notified).toBe(1);
  });
});

describe('A call over a closed socket', () => {
  it.each<[library: string, state: object]>([
    ['socket.io', { handshake: { address: '203.0.113.7', url: '/', headers: {} }, connected: false }],
    ['ws', { readyState: 3 }],
  ])('has ended, so nothing is held for it: %s', (_, state) => {
    const client: SocketClient = Object.assign(new EventEmitter(), state);
    const outcomes: unknown[] = [];
    new Invocation(socketSource(client)).onEnd((outcome) => outcomes.push(outcome));
    expect(outcomes).toEqual([LEFT]);
  });
});

describe('A caller of a resolver', () => {
  // Only whether it is the same one is asked.
  const response = { request } as NonNullable<GraphQLContext['res']>;

  it.each([
    ['req', { req: request }],
    ['request', { request }],
    ["the reply's request", { reply: response }],
    ["the response's request", { res: response }],
  ])('is the request of the context: %s', (_, context) => {
    expect(graphqlSource(context)).toMatchObject({ request, isShared: true });
  });

  it.each([[{ res: response }], [{ reply: response }]])('has the response of the context', (context) => {
    expect(graphqlSource(context).response).toBe(response);
  });

  it.each([[undefined], [{}]])('is nobody if the context has no request: %s', (context) => {
    expect(graphqlSource(context)).toEqual({ ...NOBODY, response: undefined });
  });
});
