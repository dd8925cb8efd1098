import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  type MessageEvent,
  Module,
  type NestInterceptor,
  NotFoundException,
  Param,
  type PipeTransform,
  Post,
  type Provider,
  Req,
  Sse,
  UseFilters,
} from '@nestjs/common';
import { type AbstractHttpAdapter, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createShedder, type LoadState, type Shedder } from '@sluice/core/load';
import { freePort } from '@sluice/test-kit/free-port';
import { sheddingSuite } from '@sluice/test-kit/shedding-suite';
import { until } from '@sluice/test-kit/until';
import { firstValueFrom, NEVER, type Observable } from 'rxjs';
import {
  CurrentLoad,
  ipKey,
  LoadSheddingModule,
  RateLimitModule,
  RateLimitService,
  SHEDDER,
  type ShedLoadOptions,
  shedLoad,
} from '../src/index.js';
import { closeAfterwards, GLOBAL_GUARD, moduleOf } from './apps.js';
import { startSheddingOnExpress, startSheddingOnFastify } from './shedding-host.js';

sheddingSuite('the module of Nest on Express', startSheddingOnExpress);
sheddingSuite('the module of Nest on Fastify', startSheddingOnFastify);

/** Admits one request at a time. */
const one = (): Shedder =>
  createShedder({ loop: false, inFlight: { initial: 1, max: 1 }, headroom: { normal: 0, low: 0 } });

/** What has run for requests. */
const ran: string[] = [];

/** The parts of an application that run around a handler. */
@Injectable()
class Around implements CanActivate, NestInterceptor, PipeTransform {
  canActivate(): boolean {
    ran.push('guard');
    return true;
  }
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    ran.push('interceptor');
    return next.handle();
  }
  transform(value: unknown): unknown {
    ran.push('pipe');
    return value;
  }
}

@Catch(NotFoundException)
class Filter implements ExceptionFilter {
  catch(_exception: unknown, host: ArgumentsHost): void {
    ran.push('filter');
    const response = host.switchToHttp().getResponse();
    const raw = response.raw ?? response;
    raw.statusCode = 404;
    raw.end('gone');
  }
}

@Controller()
class Home {
  @Get('load')
  load(@CurrentLoad() load: LoadState | undefined, @Req() req: { readonly load?: LoadState }): object {
    return { inFlight: load?.inFlight, isSame: req.load === load };
  }
  @Post(':id')
  post(@Param('id') id: string): string {
    ran.push('handler');
    return id;
  }
  @Get('fail')
  fail(): never {
    throw new Error('broken');
  }
  @Get('gone')
  @UseFilters(Filter)
  gone(): never {
    throw new NotFoundException();
  }
  @Sse('events')
  events(): Observable<MessageEvent> {
    return NEVER;
  }
}

const AROUND = [
  { provide: APP_GUARD, useClass: Around },
  { provide: APP_INTERCEPTOR, useClass: Around },
  { provide: APP_PIPE, useClass: Around },
];

const PLATFORMS = {
  'Nest on Express': () => new ExpressAdapter(),
  'Nest on Fastify': () => new FastifyAdapter(),
};

afterEach(() => {
  ran.length = 0;
});

interface Served {
  readonly app: INestApplication;
  readonly url: string;
}

async function listening(app: INestApplication): Promise<Served> {
  await closeAfterwards(app).listen(0, '127.0.0.1');
  return { app, url: `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}` };
}

/** Starts an application whose `main.ts` adds this middleware. */
async function start(
  adapter: AbstractHttpAdapter,
  imports: readonly DynamicModule[],
  middleware: readonly ((...args: never[]) => void)[] = [],
  providers: readonly Provider[] = AROUND,
): Promise<Served> {
  @Module({ imports: [...imports], controllers: [Home], providers: [...providers] })
  class App {}
  const app = await NestFactory.create(App, adapter, { logger: false, abortOnError: false });
  for (const each of middleware) app.use(each);
  return listening(app);
}

const middleware = (_req: unknown, _res: unknown, next: () => void): void => {
  ran.push('middleware');
  next();
};

const post = (url: string): Promise<Response> =>
  fetch(`${url}/7`, { method: 'POST', body: '{"a":', headers: { 'content-type': 'application/json' } });

/** What a request with a body that is no JSON gets. */
const statusOf = async (url: string): Promise<number> => (await post(url)).status;

describe.each(Object.entries(PLATFORMS))('%s', (_, adapter) => {
  const forms = (options: ShedLoadOptions) => ({
    'the module': () => start(adapter(), [LoadSheddingModule.forRoot(options)], [middleware]),
    'middleware in main.ts': () => start(adapter(), [], [shedLoad(options), middleware]),
  });

  it.each(Object.keys(forms({})))('refuses before anything else runs, by %s', async (form) => {
    const shedder = one();
    const { url } = await forms({ shedder })[form as keyof ReturnType<typeof forms>]();
    const permit = shedder.admit();
    const refused = await post(url);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3);
    expect(refused.headers.get('ratelimit')).toBeNull();
    expect(await refused.json()).toMatchObject({ title: 'Temporary Reduced Capacity', status: 503 });
    expect(ran).toEqual([]);
    permit?.drop();
    // The parser of bodies is next.
    expect(await statusOf(url)).toBe(400);
    expect(ran).toContain('middleware');
  });

  it('admits requests to all parts of the application', async () => {
    const shedder = one();
    const { url } = await start(adapter(), [LoadSheddingModule.forRoot({ shedder })], [middleware]);
    const answer = await fetch(`${url}/7`, { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([201, '7']);
    expect(ran).toEqual(['middleware', 'guard', 'interceptor', 'pipe', 'handler']);
    await until(() => shedder.state.inFlight === 0);
  });

  it('spends no limit for a refused request', async () => {
    const shedder = one();
    const limit = RateLimitModule.forRoot({ limit: 5, window: '1m' });
    const { app, url } = await start(adapter(), [limit, LoadSheddingModule.forRoot({ shedder })], [], [GLOBAL_GUARD]);
    const left = async (): Promise<number> => {
      const { tightest } = await app.get(RateLimitService).policy('default').peek(ipKey('127.0.0.1'));
      return tightest.remaining;
    };
    const permit = shedder.admit();
    expect((await fetch(`${url}/load`)).status).toBe(503);
    expect(await left()).toBe(5);
    permit?.drop();
    expect((await fetch(`${url}/load`)).status).toBe(200);
    expect(await left()).toBe(4);
  });

  it('ends the permit of an error, of a filter that answers, of a 404 and of a stream whose client leaves', async () => {
    const shedder = one();
    const { url } = await start(adapter(), [LoadSheddingModule.forRoot({ shedder })]);
    const statuses: number[] = [];
    for (const path of ['fail', 'gone', 'nowhere']) {
      statuses.push((await fetch(`${url}/${path}`)).status);
      await until(() => shedder.state.inFlight === 0);
    }
    expect(statuses).toEqual([500, 404, 404]);
    const leaving = new AbortController();
    const events = await fetch(`${url}/events`, { signal: leaving.signal });
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    expect(shedder.state.inFlight).toBe(1);
    leaving.abort();
    await until(() => shedder.state.inFlight === 0);
  });

  it('gives handlers the load', async () => {
    const { url } = await start(adapter(), [LoadSheddingModule.forRoot()]);
    expect(await (await fetch(`${url}/load`)).json()).toEqual({ inFlight: 1, isSame: true });
  });

  it('gives handlers the load by the decorator if the middleware is in main.ts', async () => {
    const { url } = await start(adapter(), [], [shedLoad()]);
    expect(await (await fetch(`${url}/load`)).json()).toMatchObject({ inFlight: 1 });
  });

  it('gives handlers no load without shedding', async () => {
    const { url } = await start(adapter(), []);
    expect(await (await fetch(`${url}/load`)).json()).toEqual({ isSame: true });
  });

  it('sheds in a testing module', async () => {
    const shedder = one();
    const module = await moduleOf({
      imports: [LoadSheddingModule.forRoot({ shedder })],
      controllers: [Home],
      providers: AROUND,
    }).compile();
    const { url } = await listening(module.createNestApplication(adapter()));
    shedder.admit();
    expect((await fetch(`${url}/load`)).status).toBe(503);
    expect(ran).toEqual([]);
  });
});

it('sheds on Fastify without the plugin for middleware', async () => {
  const shedder = one();
  const adapter = new FastifyAdapter({ skipMiddie: true });
  const { url } = await start(adapter, [LoadSheddingModule.forRoot({ shedder })]);
  expect(await (await fetch(`${url}/load`)).json()).toEqual({ inFlight: 1, isSame: true });
  await until(() => shedder.state.inFlight === 0);
  shedder.admit();
  expect((await fetch(`${url}/load`)).status).toBe(503);
});

describe('The module', () => {
  @Injectable()
  class Config {
    readonly health = ['/load'];
    createLoadSheddingOptions(): ShedLoadOptions {
      return { shedder: SHARED, health: this.health };
    }
  }
  const SHARED = one();

  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}

  it.each([
    [
      'a factory with what it asks for',
      LoadSheddingModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async ({ health }: Config) => ({ shedder: SHARED, health }),
      }),
    ],
    ['a class', LoadSheddingModule.forRootAsync({ useClass: Config })],
    ['a provider that exists', LoadSheddingModule.forRootAsync({ imports: [ConfigModule], useExisting: Config })],
  ])('takes the options of %s', async (_, module) => {
    const { app, url } = await start(new ExpressAdapter(), [module]);
    expect(app.get<Shedder>(SHEDDER)).toBe(SHARED);
    const permit = SHARED.admit();
    expect([(await fetch(`${url}/load`)).status, await statusOf(url)]).toEqual([200, 503]);
    permit?.drop();
    await until(() => SHARED.state.inFlight === 0);
  });

  it('gives limits the calm of its shedder', async () => {
    const elastic = RateLimitModule.forRootAsync({
      inject: [SHEDDER],
      useFactory: ({ calm }: Shedder) => ({ limit: 1, window: '1m', elastic: { upTo: 2, while: calm } }),
    });
    const { url } = await start(
      new ExpressAdapter(),
      [LoadSheddingModule.forRoot({ loop: false }), elastic],
      [],
      [GLOBAL_GUARD],
    );
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await fetch(`${url}/load`)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('does not start with a wrong option', async () => {
    const wrong = { priority: 'high' } as unknown as ShedLoadOptions;
    await expect(start(new ExpressAdapter(), [LoadSheddingModule.forRoot(wrong)])).rejects.toMatchObject({
      code: 'SLUICE_OPTION',
      path: 'priority',
    });
  });

  it('gives its shedder to an application without HTTP', async () => {
    @Module({ imports: [LoadSheddingModule.forRoot({ shedder: SHARED })] })
    class Script {}
    const app = closeAfterwards(await NestFactory.createApplicationContext(Script, { logger: false }));
    expect(app.get<Shedder>(SHEDDER)).toBe(SHARED);
  });

  it('lets messages of a microservice pass, and gives its shedder to their handlers', async () => {
    const shedder = one();
    shedder.admit();

    @Controller()
    class Echo {
      @MessagePattern('echo')
      echo(): string {
        return 'echo';
      }
    }
    @Module({ imports: [LoadSheddingModule.forRoot({ shedder })], controllers: [Echo] })
    class Service {}
    const options = { host: '127.0.0.1', port: await freePort() };
    const service = await NestFactory.createMicroservice<MicroserviceOptions>(Service, {
      transport: Transport.TCP,
      options,
      logger: false,
    });
    await closeAfterwards(service).listen();
    const client = ClientProxyFactory.create({ transport: Transport.TCP, options });
    try {
      expect(await firstValueFrom(client.send('echo', {}))).toBe('echo');
      expect(service.get<Shedder>(SHEDDER)).toBe(shedder);
    } finally {
      client.close();
    }
  });
});
