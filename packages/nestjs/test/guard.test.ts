import { describe, expect, it } from '@jest/globals';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  ServiceUnavailableException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Request } from 'express';
import supertest from 'supertest';
import { type PolicyLike, RateLimit, type RateLimitException, RateLimitGuard, RateLimitModule } from '../src/index.js';
import { closeAfterwards, moduleOf, startApp } from './apps.js';
import { statuses } from './statuses.js';

const minute = (limit: number) => ({ limit, window: '1m' }) as const;

describe('A call that passes several guards', () => {
  @Controller()
  @UseGuards(RateLimitGuard)
  class Twice {
    @Get()
    @UseGuards(RateLimitGuard)
    @RateLimit('one', 'two')
    home() {
      return 'home';
    }
  }

  it('is counted once by each policy', async () => {
    const app = await startApp({ policies: { one: minute(2), two: minute(9) } }, { controllers: [Twice] });
    const answer = await supertest(app.getHttpServer()).get('/');
    expect(answer.get('RateLimit')).toBe('"one";r=1;t=60,"two";r=8;t=60');
    expect(await statuses(app, 2)).toEqual([200, 429]);
  });
});

describe('The guard', () => {
  @Controller()
  class Home {
    @Get()
    home() {
      return 'home';
    }
  }

  it('can be global if it is taken from the application', async () => {
    const module = await moduleOf({ imports: [RateLimitModule.forRoot(minute(1))], controllers: [Home] }).compile();
    const app = closeAfterwards(module.createNestApplication({ logger: false }));
    app.useGlobalGuards(app.get(RateLimitGuard));
    await app.init();
    expect(await statuses(app, 2)).toEqual([200, 429]);
  });

  it('counts by the user if it comes after the guard that sets the user', async () => {
    @Injectable()
    class Login implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        const request = context.switchToHttp().getRequest<Request & { user?: string }>();
        request.user = request.get('x-user') ?? 'nobody';
        return true;
      }
    }
    @Controller()
    @UseGuards(Login, RateLimitGuard)
    class Home {
      @Get()
      home() {
        return 'home';
      }
    }
    const keyGenerator = (_request: object, context: ExecutionContext): string =>
      context.switchToHttp().getRequest().user;
    const module = moduleOf({
      imports: [RateLimitModule.forRoot({ ...minute(1), keyGenerator })],
      controllers: [Home],
    });
    const app = await closeAfterwards((await module.compile()).createNestApplication({ logger: false })).init();
    const ask = async (user: string) => (await supertest(app.getHttpServer()).get('/').set('x-user', user)).status;
    expect([await ask('ann'), await ask('ann'), await ask('bob')]).toEqual([200, 429, 200]);
  });
});

describe('A guard of the application', () => {
  it('can choose the request, the policies and the refusal', async () => {
    @Injectable()
    class OwnGuard extends RateLimitGuard {
      protected override requestOf(context: ExecutionContext) {
        return { ...super.requestOf(context), method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };
      }
      protected override policiesOf(context: ExecutionContext): readonly PolicyLike[] {
        return [...super.policiesOf(context), 'extra'];
      }
      protected override async refuse(_context: ExecutionContext, exception: RateLimitException): Promise<never> {
        throw new ServiceUnavailableException(`no ${exception.decision?.policy}`);
      }
    }
    @Controller()
    @UseGuards(OwnGuard, RateLimitGuard)
    class Home {
      @Get()
      home() {
        return 'home';
      }
    }
    const module = moduleOf({
      imports: [RateLimitModule.forRoot({ ...minute(9), policies: { extra: { ...minute(1), allowList: ['::1'] } } })],
      controllers: [Home],
    });
    const app = await closeAfterwards((await module.compile()).createNestApplication({ logger: false })).init();
    const answer = await supertest(app.getHttpServer()).get('/').expect(200);
    expect(answer.get('RateLimit')).toBe('"per-1m";r=8;t=60,"extra";r=0;t=60');
    const refused = await supertest(app.getHttpServer()).get('/').expect(503);
    expect(refused.body.message).toBe('no extra');
    expect(refused.get('Retry-After')).toBe('60');
  });

  it('counts by its own request, and not by that of another guard', async () => {
    const guardOf = (name: string, ip?: string) => {
      @Injectable()
      class OwnGuard extends RateLimitGuard {
        protected override requestOf(context: ExecutionContext) {
          const request = super.requestOf(context);
          return ip === undefined ? request : { method: 'GET', url: '/', headers: {}, ip };
        }
        protected override policiesOf(): readonly PolicyLike[] {
          return [name];
        }
      }
      return OwnGuard;
    };
    @Controller()
    @UseGuards(guardOf('one', '203.0.113.7'), guardOf('two'), guardOf('three', '203.0.113.8'))
    class Home {
      @Get()
      home() {
        return 'home';
      }
    }
    const denyList = ['203.0.113.8'];
    const policies = {
      one: minute(9),
      two: { ...minute(1), allowList: ['203.0.113.7'] },
      three: { ...minute(9), denyList },
    };
    const module = moduleOf({ imports: [RateLimitModule.forRoot({ policies })], controllers: [Home] });
    const app = await closeAfterwards((await module.compile()).createNestApplication({ logger: false })).init();
    // What the last one refuses is given back to those before it.
    for (let i = 0; i < 2; i += 1) {
      const answer = await supertest(app.getHttpServer()).get('/').expect(403);
      expect(answer.get('RateLimit')).toBe('"one";r=9;t=1,"two";r=1;t=1');
    }
  });

  it('can count before the caller is known, and leave the rest to a later guard', async () => {
    @Injectable()
    class EverywhereGuard extends RateLimitGuard {
      protected override policiesOf(context: ExecutionContext): readonly PolicyLike[] {
        return super.policiesOf(context).filter((policy) => policy === 'default');
      }
    }
    @Injectable()
    class Login implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        const request = context.switchToHttp().getRequest<Request & { user?: string | undefined }>();
        request.user = request.get('x-user');
        return request.user !== undefined;
      }
    }
    @Controller()
    class Home {
      @Get()
      @RateLimit('default', 'customer')
      home() {
        return 'home';
      }
    }
    const keyGenerator = (_request: object, context: ExecutionContext): string =>
      context.switchToHttp().getRequest().user;
    const module = moduleOf({
      imports: [RateLimitModule.forRoot({ ...minute(4), policies: { customer: { ...minute(1), keyGenerator } } })],
      controllers: [Home],
      providers: [EverywhereGuard, Login, RateLimitGuard].map((useClass) => ({ provide: APP_GUARD, useClass })),
    });
    const app = await closeAfterwards((await module.compile()).createNestApplication({ logger: false })).init();
    const ask = async (user?: string) => {
      const answer = supertest(app.getHttpServer()).get('/');
      return (await (user ? answer.set('x-user', user) : answer)).status;
    };
    // What the second policy refuses is given back to the first; what the login refuses is not.
    expect([await ask('ann'), await ask('ann'), await ask('bob')]).toEqual([200, 429, 200]);
    expect([await ask(), await ask(), await ask()]).toEqual([403, 403, 429]);
  });
});
