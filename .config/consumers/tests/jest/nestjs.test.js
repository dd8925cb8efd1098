require('reflect-metadata');
const { Controller, Get } = require('@nestjs/common');
const { APP_GUARD } = require('@nestjs/core');
const { Test } = require('@nestjs/testing');
const { ManualClock } = require('@sluice/core/testing');
const { MemoryStore, RATE_LIMIT_STORE, RateLimitGuard, RateLimitModule } = require('@sluice/nestjs');
const request = require('supertest');

class Home {
  home() {
    return 'hello';
  }
}
Get()(Home.prototype, 'home', Object.getOwnPropertyDescriptor(Home.prototype, 'home'));
Controller()(Home);

test('Nest 11 is limited, on a store that the test puts in place of its own', async () => {
  const clock = new ManualClock();
  const builder = Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ limit: 1, window: '1h' })],
    controllers: [Home],
    providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
  });
  const module = await builder.overrideProvider(RATE_LIMIT_STORE).useValue(new MemoryStore({ clock })).compile();
  const app = await module.createNestApplication({ logger: false }).init();
  const ask = () => request(app.getHttpServer()).get('/');
  await ask().expect(200);
  await ask().expect(429).expect('Retry-After', '3600');
  clock.advance('1h');
  await ask().expect(200);
  await app.close();
});
