import { describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import supertest from 'supertest';
import { CurrentRateLimit, RateLimit, type Reservation, SkipRateLimit } from '../src/index.js';
import { startApp } from './apps.js';
import { statuses } from './statuses.js';

const minute = (limit: number) => ({ limit, window: '1m' }) as const;
const OPTIONS = { ...minute(4), policies: { login: minute(1), chat: minute(2) } };

@Controller('plain')
class Plain {
  @Get()
  plain() {
    return 'plain';
  }

  @Get('login')
  @RateLimit('login')
  login() {
    return 'login';
  }

  @Get('mixed')
  @RateLimit('chat', minute(3), { name: 'day', limit: 9, window: '1d' })
  mixed() {
    return 'mixed';
  }

  @Get('stacked')
  @RateLimit(minute(3))
  @RateLimit(minute(2))
  stacked() {
    return 'stacked';
  }

  @Get('both')
  @RateLimit('default', 'chat')
  both() {
    return 'both';
  }

  @Get('skipped')
  @SkipRateLimit()
  skipped(@CurrentRateLimit() rateLimit?: Reservation) {
    return String(rateLimit);
  }

  @Get('policy')
  policy(@CurrentRateLimit() rateLimit?: Reservation) {
    return rateLimit?.policy;
  }
}

@Controller('classy')
@RateLimit('login', 'chat')
class Classy {
  @Get()
  plain() {
    return 'plain';
  }

  @Get('own')
  @RateLimit(minute(3))
  own() {
    return 'own';
  }

  @Get('half')
  @SkipRateLimit('login')
  half() {
    return 'half';
  }
}

@Controller('quiet')
@SkipRateLimit()
class Quiet {
  @Get()
  plain() {
    return 'plain';
  }

  @Get('loud')
  @RateLimit('login')
  loud() {
    return 'loud';
  }
}

@Controller('heir')
class Heir extends Classy {}

const start = () => startApp(OPTIONS, { controllers: [Plain, Classy, Quiet, Heir] });

const policiesOf = async (path: string): Promise<string | undefined> =>
  (
    await supertest((await start()).getHttpServer())
      .get(path)
      .expect(200)
  ).get('RateLimit-Policy');

describe('The policies of a handler', () => {
  it.each<[what: string, path: string, header: string | undefined]>([
    ["are the module's own where no decorator says otherwise", '/plain', '"per-1m";q=4;w=60'],
    ['are what its decorator names', '/plain/login', '"login";q=1;w=60'],
    [
      'are names and options in their order, options being named after their place',
      '/plain/mixed',
      '"chat";q=2;w=60,"Plain.mixed";q=3;w=60,"day";q=9;w=86400',
    ],
    [
      'are those of all its decorators from the top down',
      '/plain/stacked',
      '"Plain.stacked-2";q=3;w=60,"Plain.stacked";q=2;w=60',
    ],
    ["are the module's beside others where both are named", '/plain/both', '"per-1m";q=4;w=60,"chat";q=2;w=60'],
    ['are none where it is skipped', '/plain/skipped', undefined],
    ["are its class's", '/classy', '"login";q=1;w=60,"chat";q=2;w=60'],
    ["are its own rather than its class's", '/classy/own', '"Classy.own";q=3;w=60'],
    ['lack those that it skips by name', '/classy/half', '"chat";q=2;w=60'],
    ['are none where its class is skipped', '/quiet', undefined],
    ['are its own where its class is skipped', '/quiet/loud', '"login";q=1;w=60'],
    ['are those of the class that its class extends', '/heir', '"login";q=1;w=60,"chat";q=2;w=60'],
  ])('%s', async (_, path, header) => {
    expect(await policiesOf(path)).toBe(header);
  });

  it('are shared by all handlers that name them', async () => {
    const app = await start();
    expect(await statuses(app, 1, '/plain/login')).toEqual([200]);
    expect(await statuses(app, 1, '/quiet/loud')).toEqual([429]);
    expect(await statuses(app, 1, '/classy')).toEqual([429]);
    // What was charged before the refusal is given back.
    expect(await statuses(app, 3, '/classy/half')).toEqual([200, 200, 429]);
  });

  it('give the handler its reservation, if it asks', async () => {
    const app = await start();
    await supertest(app.getHttpServer()).get('/plain/policy').expect(200, 'default');
    await supertest(app.getHttpServer()).get('/plain/skipped').expect(200, 'undefined');
  });

  it.each([['default'], ['site'], ['login'], ['sign-in']])(
    'leave out a policy by each of its names: %s',
    async (name) => {
      @Controller()
      class Skipping {
        @Get()
        @RateLimit('default', 'login')
        @SkipRateLimit(name)
        home() {
          return 'home';
        }
      }
      const options = { ...minute(1), name: 'site', policies: { login: { ...minute(1), name: 'sign-in' } } };
      const app = await startApp(options, { controllers: [Skipping] });
      const { headers } = await supertest(app.getHttpServer()).get('/').expect(200);
      const left = ['default', 'site'].includes(name) ? 'sign-in' : 'site';
      expect(headers['ratelimit-policy']).toBe(`"${left}";q=1;w=60`);
    },
  );
});

describe('Options in a decorator', () => {
  it("inherit options that they do not set from the module's", async () => {
    @Controller()
    class Limited {
      @Get()
      @RateLimit(minute(1))
      all() {
        return 'all';
      }
    }
    const options = { ...minute(4), statusCode: 420, message: 'later', keyGenerator: () => 'everyone' };
    const app = await startApp({ ...options, standardHeaders: 'draft-7' }, { controllers: [Limited] });
    expect(await statuses(app, 1)).toEqual([200]);
    const refused = await supertest(app.getHttpServer()).get('/').expect(420, 'later');
    expect(refused.get('RateLimit')).toBe('limit=1, remaining=0, reset=60');
  });

  it('count together if they are one object with a name', async () => {
    const strict = { name: 'strict', ...minute(1) };
    @Controller()
    class Two {
      @Get('one')
      @RateLimit(strict)
      one() {
        return 'one';
      }
      @Get('two')
      @RateLimit(strict)
      two() {
        return 'two';
      }
    }
    const app = await startApp({}, { controllers: [Two] });
    expect(await statuses(app, 1, '/one')).toEqual([200]);
    expect(await statuses(app, 1, '/two')).toEqual([429]);
  });
});
