import { describe, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  UseFilters,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Response } from 'express';
import supertest from 'supertest';
import { RateLimitException } from '../src/index.js';
import { createApp, startApp } from './apps.js';

const NONE = { limit: 0, window: '1m' } as const;

@Controller()
class Home {
  @Get()
  home() {
    return 'home';
  }
}

const seen: HttpException[] = [];

@Catch(HttpException)
class OwnFilter implements ExceptionFilter<HttpException> {
  catch(exception: HttpException, host: ArgumentsHost): void {
    seen.push(exception);
    host.switchToHttp().getResponse<Response>().status(exception.getStatus()).json({ own: exception.getResponse() });
  }
}

@Controller()
@UseFilters(OwnFilter)
class OwnHome extends Home {}

describe('A filter of the application that catches HttpException', () => {
  const expectOwn = async (app: Awaited<ReturnType<typeof startApp>>): Promise<void> => {
    seen.length = 0;
    const answer = await supertest(app.getHttpServer()).get('/').expect(429);
    expect(answer.body.own).toMatchObject({ title: 'Quota Exceeded', status: 429, 'violated-policies': ['per-1m'] });
    expect(answer.get('RateLimit')).toBe('"per-1m";r=0');
    expect(seen).toEqual([expect.any(RateLimitException)]);
    expect(seen[0]).toMatchObject({ decision: { policy: 'default', allowed: false }, refusal: { status: 429 } });
  };

  it('responds in its own way if it is on a controller', async () => {
    await expectOwn(await startApp(NONE, { controllers: [OwnHome] }));
  });

  it('responds in its own way if it is set by useGlobalFilters', async () => {
    const app = await createApp(NONE, { controllers: [Home] });
    app.useGlobalFilters(new OwnFilter());
    await expectOwn(await app.init());
  });

  it("comes after the module's own if it is provided as APP_FILTER, because Nest asks the root module's last", async () => {
    const providers = [{ provide: APP_FILTER, useClass: OwnFilter }];
    const app = await startApp(NONE, { controllers: [Home], providers });
    const answer = await supertest(app.getHttpServer()).get('/').expect(429);
    expect(answer.get('Content-Type')).toBe('application/problem+json');
  });

  it('is not called if onLimitReached has responded', async () => {
    const app = await createApp(
      { ...NONE, onLimitReached: (_request, context) => context.switchToHttp().getResponse<Response>().send('mine') },
      { controllers: [Home] },
    );
    app.useGlobalFilters(new OwnFilter());
    await app.init();
    seen.length = 0;
    await supertest(app.getHttpServer()).get('/').expect(200, 'mine');
    expect(seen).toEqual([]);
  });

  it('gets the text of a message as the response', async () => {
    const app = await startApp({ ...NONE, message: 'later' }, { controllers: [OwnHome] });
    await supertest(app.getHttpServer()).get('/').expect(429, { own: 'later' });
  });

  it('gets no decision for an address on the deny list', async () => {
    const app = await startApp({ ...NONE, denyList: ['127.0.0.0/8', '::1'] }, { controllers: [OwnHome] });
    await supertest(app.getHttpServer()).get('/').expect(403);
    expect(seen.at(-1)).toMatchObject({ decision: undefined, refusal: { status: 403 } });
  });
});
