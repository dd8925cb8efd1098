import 'reflect-metadata';
import { type EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type INestApplication, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { concurrency, everyone, RateLimit, RateLimitGuard, RateLimitModule, SkipRateLimit } from '@sluice/nestjs';
import { io, type Socket } from 'socket.io-client';

const SLOT = concurrency({ limit: 1, lease: '2s' });

@WebSocketGateway()
@UseGuards(RateLimitGuard)
class Chat {
  @SubscribeMessage('say')
  say(@MessageBody() text: string): string {
    return text;
  }

  @SubscribeMessage('ping')
  @SkipRateLimit()
  ping(): string {
    return 'pong';
  }

  @SubscribeMessage('wait')
  @RateLimit('slots')
  async wait(@ConnectedSocket() client: EventEmitter): Promise<void> {
    await once(client, 'disconnect');
  }
}

@Module({
  imports: [
    RateLimitModule.forRoot({
      limit: 2,
      window: '1m',
      policies: { slots: { limit: SLOT, keyGenerator: everyone() } },
    }),
  ],
  providers: [Chat],
})
class AppModule {}

let app: INestApplication;
const sockets: Socket[] = [];

beforeEach(async () => {
  app = await NestFactory.create(AppModule, { logger: false });
  app.useWebSocketAdapter(new IoAdapter(app));
  await app.listen(0, '127.0.0.1');
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.disconnect();
  await app.close();
});

function connect(): Socket {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'] });
  sockets.push(socket);
  return socket;
}

it('Messages over socket.io are counted by the address of the handshake, and refused with its exception event', async () => {
  const [ann, bob] = [connect(), connect()];
  expect(await ann.emitWithAck('say', 'one')).toBe('one');
  expect(await bob.emitWithAck('say', 'two')).toBe('two');
  const exception = once(ann as never, 'exception');
  ann.emit('say', 'three');
  const [problem] = await exception;
  expect(problem).toMatchObject({ title: 'Quota Exceeded', status: 429, 'violated-policies': ['per-1m'] });
});

it('A slot is free again a lease after the client that holds it has gone, at the latest', async () => {
  const first = connect();
  first.emit('wait', '');
  const second = connect();
  const refusal = once(second as never, 'exception');
  // Over one connection after the other: the first holds the slot by the time that the second asks.
  await once(first as never, 'connect');
  second.emit('wait', '');
  await refusal;
  first.disconnect();
  const third = connect();
  let refused = 0;
  third.on('exception', () => {
    refused += 1;
  });
  await once(third as never, 'connect');
  for (;;) {
    const before = refused;
    third.emit('wait', '');
    const isRefused = await Promise.race([
      once(third as never, 'exception').then(() => true),
      third.emitWithAck('ping').then(
        () => refused > before,
        () => true,
      ),
    ]);
    if (!isRefused) break;
  }
}, 20_000);
