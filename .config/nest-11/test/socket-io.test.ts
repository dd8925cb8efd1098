import 'reflect-metadata';
import { type EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestApplication, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { concurrency, everyone, RateLimit, RateLimitGuard, RateLimitModule, RateLimitService } from '@sluice/nestjs';
import { until } from '@sluice/test-kit/until';
import { Subject } from 'rxjs';
import { io, type Socket } from 'socket.io-client';

const SLOT = concurrency({ limit: 1, lease: '30s' });

const numbers = new Subject<number>();

/** The handler that is at work, if any. */
const work: { end: (() => void) | undefined } = { end: undefined };

@WebSocketGateway()
@UseGuards(RateLimitGuard)
class Chat {
  @WebSocketServer()
  readonly server!: { fetchSockets(): Promise<unknown[]> };

  @SubscribeMessage('say')
  say(@MessageBody() text: string): string {
    return text;
  }

  @SubscribeMessage('work')
  @RateLimit('slots')
  work(): Promise<string> {
    return new Promise((resolve) => {
      work.end = () => resolve('done');
    });
  }

  @SubscribeMessage('stay')
  @RateLimit('slots')
  async stay(@ConnectedSocket() client: EventEmitter): Promise<void> {
    await once(client, 'disconnect');
  }

  @SubscribeMessage('count')
  @RateLimit('slots')
  count() {
    return numbers;
  }
}

@Module({
  imports: [
    RateLimitModule.forRoot({
      limit: 2,
      window: '1m',
      // Its time stands still, so that no lease ends.
      store: new MemoryStore({ clock: new ManualClock() }),
      policies: { slots: { limit: SLOT, keyGenerator: everyone() } },
    }),
  ],
  providers: [Chat],
})
class AppModule {}

let app: INestApplication;
const sockets: Socket[] = [];

beforeEach(async () => {
  work.end = undefined;
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

const hasFreeSlot = async (): Promise<boolean> =>
  (await app.get(RateLimitService).policy('slots').peek(['everyone'])).allowed;

it('Messages over socket.io are counted by the address of the handshake, and refused with its exception event', async () => {
  const [ann, bob] = [connect(), connect()];
  expect(await ann.emitWithAck('say', 'one')).toBe('one');
  expect(await bob.emitWithAck('say', 'two')).toBe('two');
  const exception = once(ann as never, 'exception');
  ann.emit('say', 'three');
  const [problem] = await exception;
  expect(problem).toMatchObject({ title: 'Quota Exceeded', status: 429, 'violated-policies': ['per-1m'] });
});

describe('A slot', () => {
  const begin = async () => {
    const [one, two] = [connect(), connect()];
    await Promise.all([one, two].map((socket) => once(socket as never, 'connect')));
    const ask = async (): Promise<unknown> => {
      const exception = once(two as never, 'exception').then(([problem]) => problem.status);
      return Promise.race([exception, two.emitWithAck('work').catch(() => {})]);
    };
    const untilFree = async (): Promise<void> => {
      await until(hasFreeSlot);
      const answer = ask();
      await until(() => work.end !== undefined);
      work.end?.();
      expect(await answer).toBe('done');
    };
    return { one, two, ask, untilFree };
  };

  it('is free when its handler has ended, even if its client has left before', async () => {
    const { one, ask, untilFree } = await begin();
    one.emit('work', '');
    await until(() => work.end !== undefined);
    one.disconnect();
    await until(async () => (await app.get(Chat).server.fetchSockets()).length < 2);
    expect(await ask()).toBe(429);
    const { end } = work;
    work.end = undefined;
    end?.();
    await untilFree();
  });

  it('is free when a handler ends that waits for its client to leave', async () => {
    const { one, ask, untilFree } = await begin();
    one.emit('stay', '');
    await until(async () => !(await hasFreeSlot()));
    expect(await ask()).toBe(429);
    one.disconnect();
    await untilFree();
  });

  it('is free when the client of a stream leaves', async () => {
    const { one, ask, untilFree } = await begin();
    one.emit('count', '');
    await until(() => numbers.observed);
    expect(await ask()).toBe(429);
    one.disconnect();
    await untilFree();
    expect(numbers.observed).toBe(false);
  });
});
