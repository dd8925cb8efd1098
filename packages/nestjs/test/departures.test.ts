import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  Controller,
  Get,
  HttpCode,
  type INestApplication,
  RequestTimeoutException,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { until } from '@sluice/test-kit/until';
import { Subject, takeUntil, throwIfEmpty } from 'rxjs';
import {
  CurrentRateLimit,
  concurrency,
  type HttpReservation,
  RateLimit,
  RateLimitModule,
  RateLimitService,
} from '../src/index.js';
import { closeAfterwards, GLOBAL_GUARD, moduleOf } from './apps.js';

const TWO = concurrency({ limit: 2, lease: '30s' });

/** Lets all interceptors give up. */
const giveUp = new Subject<void>();
const ticks = new Subject<{ data: string }>();

/** Gives up on handlers, as those do that have a timeout. */
class Impatient {
  intercept(_: unknown, next: CallHandler) {
    return next.handle().pipe(
      takeUntil(giveUp),
      throwIfEmpty(() => new RequestTimeoutException()),
    );
  }
}

/** What handlers are at work on. */
class Work {
  readonly ends: (() => void)[] = [];
  atWork = 0;
  queries = 0;
  most = 0;

  readonly begin = async (): Promise<string> => {
    this.atWork += 1;
    this.most = Math.max(this.most, this.atWork);
    await new Promise<void>((resolve) => this.ends.push(resolve));
    this.atWork -= 1;
    return 'done';
  };
}

let work = new Work();

@Controller()
@UseInterceptors(Impatient)
@RateLimit('slots')
class Tasks {
  @Get('task')
  task() {
    return work.begin();
  }

  @Get('query')
  query() {
    return {
      // biome-ignore lint/suspicious/noThenProperty: some libraries run a query whenever somebody waits for it.
      then: (resolve: (rows: string) => void) => {
        work.queries += 1;
        resolve('rows');
      },
    };
  }

  @Get('later')
  @HttpCode(202)
  later(@CurrentRateLimit() rateLimit?: HttpReservation) {
    rateLimit?.releaseAfter(work.begin());
    return 'accepted';
  }

  @Get('usage')
  @RateLimit('units')
  usage(@CurrentRateLimit() rateLimit?: HttpReservation) {
    rateLimit?.deferSettle();
    work.ends.push(() => void rateLimit?.settle({ units: 10 }));
    return 'streamed';
  }

  @Sse('ticks')
  ticks() {
    return ticks;
  }
}

const PLATFORMS: readonly [name: string, create: (app: typeof makeApp) => Promise<INestApplication>][] = [
  ['Express', (make) => make()],
  ['Fastify', (make) => make(new FastifyAdapter())],
];

const clock = new ManualClock();

async function makeApp(adapter?: FastifyAdapter): Promise<INestApplication> {
  const units = { name: 'units', limit: 10_000, window: '1h', cost: 4000 } as const;
  const module = await moduleOf({
    imports: [
      RateLimitModule.forRoot({
        policies: { slots: { limit: TWO }, units: { limits: [TWO, units], skipSuccessfulRequests: true } },
        store: new MemoryStore({ clock }),
      }),
    ],
    controllers: [Tasks],
    providers: [GLOBAL_GUARD],
  }).compile();
  const app = adapter
    ? module.createNestApplication(adapter, { logger: false })
    : module.createNestApplication({ logger: false });
  return closeAfterwards(app);
}

describe.each(PLATFORMS)('On %s, the slot', (_, create) => {
  const start = async () => {
    work = new Work();
    const app = await create(makeApp);
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const left = async (policy = 'slots') =>
      (await app.get(RateLimitService).policy(policy).peek(['ip', '127.0.0.1'])).verdicts.map(
        ({ remaining }) => remaining,
      );
    const untilLeft = async (count: number): Promise<void> => {
      for (let i = 0; i < 1000 && (await left())[0] !== count; i += 1) await turnOfTheLoop();
      expect(await left()).toEqual([count]);
    };
    const begin = (path: string) => get({ port, path, agent: false, host: '127.0.0.1' }).on('error', () => {});
    const ask = async (path: string): Promise<number> => {
      const [answer] = await once(begin(path), 'response');
      answer.resume();
      await once(answer, 'close');
      return answer.statusCode;
    };
    return { left, untilLeft, begin, ask };
  };

  const giveUpOnTwo = async () => {
    const { begin, ask, untilLeft } = await start();
    const answers = ['/task', '/task'].map(async (path) => (await once(begin(path), 'response'))[0].statusCode);
    await until(() => work.atWork >= 2);
    giveUp.next();
    expect(await Promise.all(answers)).toEqual([408, 408]);
    expect(await ask('/task')).toBe(429);
    expect(work.most).toBe(2);
    return { untilLeft };
  };

  it('of a handler is free when it has ended, even if an interceptor has given up on it', async () => {
    const { untilLeft } = await giveUpOnTwo();
    work.ends[0]?.();
    await untilLeft(1);
    work.ends[1]?.();
    await untilLeft(2);
  });

  it('of a handler that does not end is kept for one lease if an interceptor has given up on it', async () => {
    const { untilLeft } = await giveUpOnTwo();
    // Two ends, and the renewal of both.
    await clock.untilSleeping(3);
    clock.advance('30s');
    await turnOfTheLoop();
    await untilLeft(2);
    for (const end of work.ends) end();
  });

  it('of a handler is free when it has ended, even if its client has left before', async () => {
    const { begin, ask, untilLeft } = await start();
    const clients = [begin('/task'), begin('/task')];
    await until(() => work.atWork >= 2);
    for (const client of clients) client.destroy();
    await clock.untilSleeping(3);
    expect(await ask('/task')).toBe(429);
    work.ends[0]?.();
    await untilLeft(1);
    work.ends[1]?.();
    await untilLeft(2);
    expect(work.most).toBe(2);
  });

  it('of a stream of events is free when its client leaves', async () => {
    const { begin, untilLeft } = await start();
    const client = begin('/ticks');
    await untilLeft(1);
    await until(() => ticks.observed);
    client.destroy();
    await untilLeft(2);
    expect(ticks.observed).toBe(false);
  });

  it('of a query is free when it has run, once', async () => {
    const { ask, untilLeft } = await start();
    expect(await ask('/query')).toBe(200);
    await untilLeft(2);
    expect(work.queries).toBe(1);
  });

  it('of work after a handler is kept by releaseAfter', async () => {
    const { ask, untilLeft } = await start();
    expect([await ask('/later'), await ask('/later'), await ask('/later')]).toEqual([202, 202, 429]);
    for (const end of work.ends) end();
    await untilLeft(2);
  });

  it('is free if the handler defers the settlement, which counts later', async () => {
    const { ask, left } = await start();
    expect(await ask('/usage')).toBe(200);
    for (let i = 0; i < 1000 && (await left('units'))[0] !== 2; i += 1) await turnOfTheLoop();
    expect(await left('units')).toEqual([2, 6000]);
    work.ends[0]?.();
    expect(await left('units')).toEqual([2, 9990]);
  });
});
