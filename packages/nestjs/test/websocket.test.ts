import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type ArgumentsHost, Catch, UseFilters, UseGuards, type WsExceptionFilter } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { until } from '@sluice/test-kit/until';
import { Subject } from 'rxjs';
import {
  CurrentRateLimit,
  concurrency,
  everyone,
  RateLimit,
  RateLimitGuard,
  type RateLimitModuleOptions,
  type Reservation,
  SkipRateLimit,
} from '../src/index.js';
import { createApp } from './apps.js';
import { ChatClient } from './chat-client.js';

const TWO = { limit: 2, window: '1m' } as const;
const SLOT = concurrency({ limit: 1, lease: '30s' });

const numbers = new Subject<number>();

/** Ends what handlers are at work on. */
const working: (() => void)[] = [];

/** The ws platform of Nest 11 sends its clients no exceptions by itself. */
@Catch()
class TellClient implements WsExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const data = exception instanceof WsException ? exception.getError() : 'broken';
    host
      .switchToWs()
      .getClient()
      .send(JSON.stringify({ event: 'exception', data }));
  }
}

// Guards of the whole application reach gateways in Nest 12 alone.
@WebSocketGateway()
@UseGuards(RateLimitGuard)
@UseFilters(TellClient)
class Chat {
  @SubscribeMessage('say')
  say(@MessageBody() text: string, @CurrentRateLimit() rateLimit?: Reservation) {
    return { event: 'said', data: [text, rateLimit?.tightest.remaining] };
  }

  @SubscribeMessage('fail')
  @RateLimit('failing')
  fail(): never {
    throw new Error('broken');
  }

  @SubscribeMessage('count')
  @RateLimit('slots')
  count() {
    return numbers;
  }

  @SubscribeMessage('work')
  @RateLimit('slots')
  work() {
    return new Promise((resolve) => working.push(() => resolve({ event: 'said', data: 'done' })));
  }

  @SubscribeMessage('fail late')
  @RateLimit('slots')
  async failLate(): Promise<never> {
    await this.work();
    throw new Error('broken');
  }

  @SubscribeMessage('count late')
  @RateLimit('slots')
  async countLate() {
    await this.work();
    return numbers;
  }

  @SubscribeMessage('free')
  @SkipRateLimit()
  free() {
    return { event: 'said', data: 'free' };
  }
}

async function start(options: Partial<RateLimitModuleOptions> = {}): Promise<() => Promise<ChatClient>> {
  const policies = {
    failing: { ...TWO, skipFailedRequests: true },
    slots: { limit: SLOT, keyGenerator: everyone() },
  };
  const app = await createApp({ ...TWO, policies, ...options } as RateLimitModuleOptions, {
    providers: [Chat],
  });
  app.useWebSocketAdapter(new WsAdapter(app));
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return () => ChatClient.at(url);
}

const PROBLEM = { title: 'Quota Exceeded', status: 429, 'violated-policies': ['per-1m'] };

describe('A WebSocket gateway', () => {
  it('counts each message once, by the address of the handshake, and refuses with an exception event', async () => {
    const connect = await start();
    const [one, two] = [await connect(), await connect()];
    expect(await one.ask('say', 'a')).toEqual({ event: 'said', data: ['a', 1] });
    expect(await two.ask('say', 'b')).toEqual({ event: 'said', data: ['b', 0] });
    expect(await one.ask('say', 'c')).toEqual({ event: 'exception', data: expect.objectContaining(PROBLEM) });
    expect(await one.ask('free')).toEqual({ event: 'said', data: 'free' });
    await Promise.all([one.leave(), two.leave()]);
  });

  it('gives the address as the request to callbacks', async () => {
    const ips: (string | undefined)[] = [];
    const connect = await start({ skip: ({ ip }) => ips.push(ip) < 0 });
    const client = await connect();
    await client.ask('say', 'a');
    expect(ips).toEqual(['127.0.0.1']);
    await client.leave();
  });

  it('refuses a message without a key by the status of onMissingKey', async () => {
    const connect = await start({ keyGenerator: () => undefined, onMissingKey: 401 });
    const client = await connect();
    const data = expect.objectContaining({ title: 'Unauthorized', status: 401 });
    for (let i = 0; i < 3; i += 1) expect(await client.ask('say', 'a')).toEqual({ event: 'exception', data });
    await client.leave();
  });

  it('refuses with the text of a message', async () => {
    const connect = await start({ limit: 0, message: 'later' } as RateLimitModuleOptions);
    const client = await connect();
    expect(await client.ask('say', 'a')).toEqual({ event: 'exception', data: 'later' });
    await client.leave();
  });

  it('gives back the charge of a message whose handler failed', async () => {
    const connect = await start();
    const client = await connect();
    for (let i = 0; i < 4; i += 1) {
      expect(await client.ask('fail')).toEqual({ event: 'exception', data: 'broken' });
    }
    await client.leave();
  });

  const leaveAtWork = async (event: string) => {
    const clock = new ManualClock();
    const connect = await start({ store: new MemoryStore({ clock }) });
    const [one, two] = [await connect(), await connect()];
    one.notify(event);
    await until(() => working.length > 0);
    await one.leave();
    // The lease that is left, and the next renewal.
    await clock.untilSleeping(2);
    expect(await two.ask('work')).toMatchObject({ event: 'exception', data: { status: 429 } });
    const untilFree = async (): Promise<void> => {
      const answer = two.ask('work');
      await until(() => working.length > 0);
      working.pop()?.();
      expect(await answer).toEqual({ event: 'said', data: 'done' });
      await two.leave();
    };
    return { clock, untilFree };
  };

  it('frees the slot of a client that has left when the handler has ended', async () => {
    const { untilFree } = await leaveAtWork('work');
    working.pop()?.();
    await turnOfTheLoop();
    await untilFree();
  });

  it('frees the slot of a handler that fails after its client has left', async () => {
    const { untilFree } = await leaveAtWork('fail late');
    working.pop()?.();
    await turnOfTheLoop();
    await untilFree();
  });

  it('frees the slot, and starts no stream, if a handler returns one after its client has left', async () => {
    const { untilFree } = await leaveAtWork('count late');
    working.pop()?.();
    await turnOfTheLoop();
    expect(numbers.observed).toBe(false);
    await untilFree();
  });

  it('keeps the slot of a handler that never ends for one lease after its client has left', async () => {
    const { clock, untilFree } = await leaveAtWork('work');
    working.pop();
    clock.advance('30s');
    await turnOfTheLoop();
    await untilFree();
  });

  it('holds a slot while a stream lasts, until it ends or its client leaves', async () => {
    const connect = await start();
    const [one, two] = [await connect(), await connect()];
    const untilRefused = async (): Promise<void> => {
      const answer = one.hear();
      one.notify('count');
      await until(() => numbers.observed);
      numbers.next(7);
      expect(await answer).toBeDefined();
      expect(await two.ask('count')).toMatchObject({ event: 'exception', data: { status: 429 } });
    };
    await untilRefused();
    await one.leave();
    await until(() => !numbers.observed);
    const answer = two.hear();
    two.notify('count');
    await until(() => numbers.observed);
    numbers.next(8);
    expect(await answer).toBeDefined();
    await two.leave();
  });
});
