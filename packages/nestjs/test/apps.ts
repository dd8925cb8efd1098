import { afterEach } from '@jest/globals';
import type { INestApplication, INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { RateLimitGuard, RateLimitModule, type RateLimitModuleOptions } from '../src/index.js';

const open: INestApplicationContext[] = [];

/** Closes an application after the test. */
export function closeAfterwards<App extends INestApplicationContext>(app: App): App {
  open.push(app);
  return app;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map(close));
});

/** Does not wait for clients that keep their connections. */
function close(app: INestApplicationContext & Partial<Pick<INestApplication, 'getHttpServer'>>): Promise<void> {
  app.getHttpServer?.()?.closeAllConnections?.();
  return app.close();
}

/** The guard for every handler. */
export const GLOBAL_GUARD = { provide: APP_GUARD, useClass: RateLimitGuard };

/** A testing module without a limiter. */
export const moduleOf = (metadata: ModuleMetadata): TestingModuleBuilder => Test.createTestingModule(metadata);

/** An application whose handlers all are guarded, not yet initialized. */
export async function createApp(
  options: RateLimitModuleOptions,
  { imports = [], providers = [], ...others }: ModuleMetadata,
): Promise<INestApplication> {
  const module = moduleOf({
    ...others,
    imports: [RateLimitModule.forRoot(options), ...imports],
    providers: [GLOBAL_GUARD, ...providers],
  });
  return closeAfterwards((await module.compile()).createNestApplication({ logger: false }));
}

/** The same, ready to answer. */
export async function startApp(options: RateLimitModuleOptions, metadata: ModuleMetadata): Promise<INestApplication> {
  return (await createApp(options, metadata)).init();
}
