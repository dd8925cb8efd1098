import 'reflect-metadata';
import assert from 'node:assert/strict';
import test from 'node:test';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { RateLimitGuard, RateLimitModule } from '@sluice/nestjs';

class Home {
  home() {
    return 'hello';
  }
}
Get()(Home.prototype, 'home', Object.getOwnPropertyDescriptor(Home.prototype, 'home'));
Controller()(Home);

class App {}
Module({
  imports: [RateLimitModule.forRoot({ limit: 1, window: '1m' })],
  controllers: [Home],
  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
})(App);

test('Nest is limited', async () => {
  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  assert.equal((await fetch(url)).status, 200);
  const refused = await fetch(url);
  assert.equal(refused.status, 429);
  assert.deepEqual((await refused.json())['violated-policies'], ['per-1m']);
  app.getHttpServer().closeAllConnections();
  await app.close();
});
