import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { ManualClock } from '@sluice/core/testing';
import {
  ipKey,
  MemoryStore,
  RATE_LIMIT_STORE,
  RateLimit,
  RateLimitModule,
  type RateLimitModuleOptions,
  RateLimitService,
  SkipRateLimit,
  type Store,
} from '../src/index.js';
import { closeAfterwards, createApp, GLOBAL_GUARD, moduleOf, startApp } from './apps.js';
import { statuses } from './statuses.js';

@Controller()
class Home {
  @Get()
  home() {
    return 'home';
  }

  @Get('login')
  @RateLimit('login')
  login() {
    return 'login';
  }
}

const ONE = { limit: 1, window: '1m' } as const;
const OPTIONS: RateLimitModuleOptions = { ...ONE, policies: { login: { limit: 2, window: '1m' } } };

describe('The module', () => {
  it('limits by given options', async () => {
    const app = await startApp(OPTIONS, { controllers: [Home] });
    expect(await statuses(app, 2)).toEqual([200, 429]);
    expect(await statuses(app, 3, '/login')).toEqual([200, 200, 429]);
  });

  @Injectable()
  class Config {
    readonly limit = 1;
    createRateLimitOptions(): RateLimitModuleOptions {
      return OPTIONS;
    }
  }

  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}

  it.each([
    [
      'a factory with what it asks for',
      RateLimitModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async ({ limit }: Config) => ({ ...OPTIONS, limit, window: '1m' }),
      }),
    ],
    ['a class', RateLimitModule.forRootAsync({ useClass: Config })],
    ['a provider that exists', RateLimitModule.forRootAsync({ imports: [ConfigModule], useExisting: Config })],
  ])('limits by the options of %s', async (_, rateLimit) => {
    const module = await moduleOf({ imports: [rateLimit], controllers: [Home], providers: [GLOBAL_GUARD] }).compile();
    const app = await closeAfterwards(module.createNestApplication()).init();
    expect(await statuses(app, 2)).toEqual([200, 429]);
    expect(await statuses(app, 3, '/login')).toEqual([200, 200, 429]);
  });

  it('limits nothing by itself if it has no limit', async () => {
    const app = await startApp({ policies: { login: ONE } }, { controllers: [Home] });
    expect(await statuses(app, 3)).toEqual([200, 200, 200]);
    expect(await statuses(app, 2, '/login')).toEqual([200, 429]);
  });

  it('counts on its own or a given store, and provides it', async () => {
    const store = new MemoryStore();
    const app = await startApp({ ...OPTIONS, store }, { controllers: [Home] });
    expect(app.get<Store>(RATE_LIMIT_STORE)).toBe(store);
    const other = await startApp(OPTIONS, { controllers: [Home] });
    expect(other.get<Store>(RATE_LIMIT_STORE)).toBeInstanceOf(MemoryStore);
  });

  it('counts on the store of a test, in every policy', async () => {
    const clock = new ManualClock();
    const module = await moduleOf({
      imports: [RateLimitModule.forRoot({ ...OPTIONS, store: new MemoryStore() })],
      controllers: [Home],
      providers: [GLOBAL_GUARD],
    })
      .overrideProvider(RATE_LIMIT_STORE)
      .useValue(new MemoryStore({ clock }))
      .compile();
    const app = await closeAfterwards(module.createNestApplication()).init();
    expect(await statuses(app, 2)).toEqual([200, 429]);
    expect(await statuses(app, 3, '/login')).toEqual([200, 200, 429]);
    clock.advance('1m');
    expect(await statuses(app, 2)).toEqual([200, 429]);
    expect(await statuses(app, 3, '/login')).toEqual([200, 200, 429]);
  });

  it('can be built again with the same options and store, and continues to count', async () => {
    const options = { ...OPTIONS, store: new MemoryStore() };
    const first = await startApp(options, { controllers: [Home] });
    expect(await statuses(first, 1)).toEqual([200]);
    const second = await startApp(options, { controllers: [Home] });
    expect(await statuses(second, 1)).toEqual([429]);
  });
});

describe('The service', () => {
  it('returns policies by name, to reset a key', async () => {
    @Controller()
    class Inline {
      @Get()
      @RateLimit(ONE)
      home() {
        return 'home';
      }
    }
    @Injectable()
    class Support {
      constructor(@Inject(RateLimitService) readonly rateLimits: RateLimitService) {}
    }
    const app = await startApp(OPTIONS, { controllers: [Inline], providers: [Support] });
    const { rateLimits } = app.get(Support);
    expect(['default', 'login', 'Inline.home'].map((name) => rateLimits.policy(name).policy)).toEqual([
      'default',
      'login',
      'Inline.home',
    ]);
    expect(await statuses(app, 2)).toEqual([200, 429]);
    await rateLimits.policy('Inline.home').reset(ipKey('127.0.0.1'));
    expect(await statuses(app, 2)).toEqual([200, 429]);
  });

  it('spends and reserves by a key for calls that guards do not see', async () => {
    const app = await startApp(OPTIONS, { controllers: [Home] });
    const policy = app.get(RateLimitService).policy('default');
    const { tightest } = await policy.peek(ipKey('127.0.0.1'));
    const job = await policy.reserve(ipKey('127.0.0.1'), { cost: tightest.remaining });
    expect(await statuses(app, 1)).toEqual([429]);
    await job.cancel();
    expect(await statuses(app, 1)).toEqual([200]);
    await policy.consume(ipKey('127.0.0.1'), { cost: (await policy.peek(ipKey('127.0.0.1'))).tightest.remaining });
    expect((await policy.peek(ipKey('127.0.0.1'))).tightest.remaining).toBe(0);
  });

  it('lists the policies if the name is unknown', async () => {
    const app = await startApp(OPTIONS, {});
    expect(() => app.get(RateLimitService).policy('logon')).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', message: expect.stringContaining('default, login') }),
    );
  });
});

describe('No mistake is', () => {
  class Base {
    helper(): void {}
  }
  class Shadowing extends Base {
    override helper = undefined as never;
  }

  it.each<[what: string, provider: object]>([
    ['an instance that has no method where its class has one', new Shadowing()],
    ['a proxy that answers nothing', new Proxy({}, { get: () => undefined })],
    ['an object with values under the names of methods', { constructor: 'text', toString: null }],
    ['an object without a class', Object.create(Object.create(null, { method: { value: () => {} } }))],
  ])('%s among the providers', async (_, provider) => {
    const app = await startApp(OPTIONS, { controllers: [Home], providers: [{ provide: 'ANY', useValue: provider }] });
    expect(await statuses(app, 2)).toEqual([200, 429]);
  });
});

describe('A mistake is found when the application starts:', () => {
  const wrong = (options: unknown) => options as RateLimitModuleOptions;

  it.each<[what: string, code: string, options: RateLimitModuleOptions]>([
    ["in the module's own policy", 'SLUICE_OPTION', wrong({ limit: -1, window: '1m' })],
    ['in a named policy', 'SLUICE_OPTION', wrong({ policies: { login: { limit: 1, windowMs: 5 } } })],
    ['in what policies inherit', 'SLUICE_OPTION', wrong({ statusCode: 200, policies: { login: ONE } })],
    ['two policies of a name', 'SLUICE_DUPLICATE_NAME', { policies: { a: { ...ONE, name: 'b' }, b: ONE } }],
  ])('%s', async (_, code, options) => {
    await expect(createApp(options, {})).rejects.toMatchObject({ name: 'SluiceError', code });
  });

  const aPolicy = "{ limit: 100, window: '1m' }, or { limits: [...] } for several limits";
  const minute = { limit: 1, window: '1m' } as const;

  it.each<[message: string, path: string, options: unknown]>([
    [`options must be an object such as ${aPolicy}, got undefined`, 'options', undefined],
    [`options must be an object such as ${aPolicy}, got null`, 'options', null],
    [`options must be an object such as ${aPolicy}, got 100`, 'options', 100],
    [`options must be an object such as ${aPolicy}, got an array`, 'options', [{ ttl: 60_000, limit: 10 }]],
    [`options must be an object such as ${aPolicy}, got an array`, 'options', [minute]],
    [`options must be an object such as ${aPolicy}, got an empty array`, 'options', []],
    ['ttl is not an option: use window, got 60000', 'ttl', { ttl: 60_000 }],
    ['ttl is not an option: use window, got 60000', 'ttl', { ttl: 60_000, policies: { login: ONE } }],
    [
      'throttlers is not an option: use limits, got an array',
      'throttlers',
      { throttlers: [{ ttl: 60_000, limit: 10 }] },
    ],
    [
      'limits[0].ttl is not an option: use window, got 60000',
      'limits[0].ttl',
      { limits: [{ ttl: 60_000, limit: 10 }] },
    ],
    [
      "policies must be an object such as { login: { limit: 5, window: '15m' } }, got an array",
      'policies',
      { policies: [{ name: 'login', ...minute }] },
    ],
    [
      `policies.login must be an object such as ${aPolicy}, got an array`,
      'policies.login',
      { policies: { login: [minute] } },
    ],
    [`policies.login must be an object such as ${aPolicy}, got 5`, 'policies.login', { policies: { login: 5 } }],
  ])('%s', async (message, path, options) => {
    const error = { name: 'SluiceError', code: 'SLUICE_OPTION', message: `${message} (SLUICE_OPTION)`, path };
    await expect(createApp(wrong(options), {})).rejects.toMatchObject(error);
    const module = moduleOf({ imports: [RateLimitModule.forRootAsync({ useFactory: async () => wrong(options) })] });
    await expect(module.compile()).rejects.toMatchObject(error);
  });

  it('with the name of its policy', async () => {
    const options = wrong({ policies: { login: { limit: 1, window: 0 } } });
    await expect(createApp(options, {})).rejects.toMatchObject({
      message: expect.stringMatching(/^of the policy "login", window must be .* got 0 \(SLUICE_OPTION\)$/),
      path: 'window',
      received: 0,
    });
  });

  it('in a request-scoped controller', async () => {
    @Controller({ scope: Scope.REQUEST })
    class Mistaken {
      @Get()
      @RateLimit('logon')
      home() {
        return 'home';
      }
    }
    await expect(startApp(OPTIONS, { controllers: [Mistaken] })).rejects.toMatchObject({ code: 'SLUICE_OPTION' });
  });

  const startWith = (decorator: MethodDecorator): Promise<unknown> => {
    @Controller()
    class Mistaken {
      @Get()
      @decorator
      home() {
        return 'home';
      }
    }
    return startApp(OPTIONS, { controllers: [Mistaken] });
  };

  it.each<[what: string, code: string, decorator: MethodDecorator]>([
    ['in the options of a decorator', 'SLUICE_OPTION', RateLimit({ limit: 1, window: 'soon' as never })],
    ['a name in @RateLimit that no policy has', 'SLUICE_OPTION', RateLimit('logon')],
    ['a name in @SkipRateLimit that no policy has', 'SLUICE_OPTION', SkipRateLimit('logon')],
    ['a name in a decorator that a policy has', 'SLUICE_DUPLICATE_NAME', RateLimit({ name: 'login', ...ONE })],
  ])('%s', async (_, code, decorator) => {
    await expect(startWith(decorator)).rejects.toMatchObject({ name: 'SluiceError', code });
  });
});
