import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  type ModuleMetadata,
  type Provider,
  Scope,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { MessagePattern, type MicroserviceOptions, Transport } from '@nestjs/microservices';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { emittedWarnings, expectOnly } from '@sluice/test-kit/emitted-warnings';
import {
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitModuleOptions,
  SkipRateLimit,
} from '../src/index.js';
import { closeAfterwards, moduleOf } from './apps.js';

const ONE = { limit: 1, window: '1m' } as const;
const ALL = { ...ONE, keyGenerator: () => 'all' };

@Controller()
class Home {
  @Get()
  home() {}
}

@Controller('login')
class Login {
  @Get()
  @RateLimit({ limit: 2, window: '1m' })
  login() {}
}

@Controller('health')
@SkipRateLimit()
class Health {
  @Get()
  health() {}
}

@Controller()
class Sums {
  @MessagePattern('sum')
  sum() {}
}

@Injectable()
class Strict extends RateLimitGuard {}

@Injectable({ scope: Scope.REQUEST })
class ForEachRequest extends RateLimitGuard {}

class Open implements CanActivate {
  readonly mode = 'open';
  canActivate() {
    return true;
  }
}

/** Asks the guard itself. */
@Injectable()
class Around implements CanActivate {
  constructor(@Inject(RateLimitGuard) private readonly guard: RateLimitGuard) {}
  canActivate(context: ExecutionContext) {
    return this.guard.canActivate(context);
  }
}

@Controller('guarded')
@UseGuards(RateLimitGuard)
class Guarded {
  @Get()
  home() {}
}

@Controller('guarded')
class GuardedHandler {
  @Get()
  @UseGuards(Strict)
  home() {}
}

const built = (options: RateLimitModuleOptions, { imports = [], ...metadata }: ModuleMetadata): TestingModuleBuilder =>
  moduleOf({ ...metadata, imports: [RateLimitModule.forRoot(options), ...imports] });

async function create(builder: TestingModuleBuilder) {
  return closeAfterwards((await builder.compile()).createNestApplication({ logger: false }));
}

async function start(builder: TestingModuleBuilder, ...guards: (typeof RateLimitGuard | typeof Strict)[]) {
  const app = await create(builder);
  if (guards.length > 0) app.useGlobalGuards(...guards.map((guard) => app.get(guard)));
  return app.init();
}

const controllers = [Home, Login];

afterEach(() => {
  jest.restoreAllMocks();
});

describe('An application without a guard that counts', () => {
  it('causes a warning at its start with the missing line', async () => {
    const warnings = emittedWarnings();
    await start(built(ONE, { controllers }));
    expectOnly(warnings, 'SLUICE_NO_GUARD', 'errors.md');
    expect(warnings[0]?.message).toBe(
      'There are policies, for example for Home.home, but no RateLimitGuard, so nothing is counted. ' +
        'Add to the providers of a module: { provide: APP_GUARD, useClass: RateLimitGuard }',
    );
  });

  it.each<[what: string, options: RateLimitModuleOptions, metadata: ModuleMetadata]>([
    ['by a decorator', {}, { controllers }],
    ['by name', { policies: { other: ONE } }, { controllers: [Login] }],
    ['and a guard that is no enhancer of anything', ONE, { controllers, providers: [RateLimitGuard, Strict] }],
  ])('causes a warning if it has a policy %s', async (_, options, metadata) => {
    const warnings = emittedWarnings();
    await start(built(options, metadata));
    expectOnly(warnings, 'SLUICE_NO_GUARD', 'errors.md');
  });

  it('causes a warning if another guard is global', async () => {
    const warnings = emittedWarnings();
    const app = await create(built(ONE, { controllers }));
    app.useGlobalGuards(new Open());
    await app.init();
    expectOnly(warnings, 'SLUICE_NO_GUARD', 'errors.md');
  });

  it('causes a warning if it is a microservice', async () => {
    const warnings = emittedWarnings();
    const module = await built(ALL, { controllers: [Sums] }).compile();
    const options: MicroserviceOptions = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } };
    await closeAfterwards(module.createNestMicroservice({ ...options, logger: false })).listen();
    expectOnly(warnings, 'SLUICE_NO_GUARD', 'errors.md');
  });

  it.each<[what: string, options: RateLimitModuleOptions, metadata: ModuleMetadata]>([
    ['no handler that a policy is for', { policies: { jobs: ONE } }, { controllers: [Home] }],
    ['none but handlers that are skipped', ONE, { controllers: [Health] }],
    ['no handlers', ONE, {}],
  ])('causes no warning if it has %s', async (_, options, metadata) => {
    const warnings = emittedWarnings();
    await start(built(options, metadata));
    expect(warnings).toEqual([]);
  });

  it('causes no warning if it serves nothing, such as a command', async () => {
    const warnings = emittedWarnings();
    await closeAfterwards(await built(ONE, { controllers }).compile()).init();
    expect(warnings).toEqual([]);
  });
});

describe('An application causes no warning if the guard is', () => {
  it.each<[where: string, provider: Provider]>([
    ['as APP_GUARD', { provide: APP_GUARD, useClass: RateLimitGuard }],
    ['as APP_GUARD, as a subclass', { provide: APP_GUARD, useClass: Strict }],
    ['as APP_GUARD, for each request', { provide: APP_GUARD, useClass: ForEachRequest }],
    ['as APP_GUARD, which exists', { provide: APP_GUARD, useExisting: RateLimitGuard }],
    [
      'as APP_GUARD, by a factory',
      { provide: APP_GUARD, useFactory: (guard: RateLimitGuard) => guard, inject: [RateLimitGuard] },
    ],
    ['within an APP_GUARD', { provide: APP_GUARD, useClass: Around }],
  ])('%s', async (_, provider) => {
    const warnings = emittedWarnings();
    await start(built(ONE, { controllers, providers: [provider] }));
    expect(warnings).toEqual([]);
  });

  it.each([
    ['among useGlobalGuards', RateLimitGuard],
    ['among useGlobalGuards, as a subclass', Strict],
  ])('%s', async (_, guard) => {
    const warnings = emittedWarnings();
    await start(built(ONE, { controllers, providers: [Strict] }), guard);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['on a controller', Guarded],
    ['on a handler, as a subclass', GuardedHandler],
  ])('%s', async (_, controller) => {
    const warnings = emittedWarnings();
    await start(built(ONE, { controllers: [...controllers, controller] }));
    expect(warnings).toEqual([]);
  });

  it.each<[where: string, guard: (ours: RateLimitGuard) => CanActivate]>([
    ['within one of useGlobalGuards', (ours) => new Around(ours)],
    ['within a function of useGlobalGuards', (ours) => ({ canActivate: (context) => ours.canActivate(context) })],
  ])('%s', async (_, guard) => {
    const warnings = emittedWarnings();
    const app = await create(built(ONE, { controllers }));
    app.useGlobalGuards(guard(app.get(RateLimitGuard)));
    await app.init();
    expect(warnings).toEqual([]);
  });

  it('on a connected microservice', async () => {
    const warnings = emittedWarnings();
    const app = await create(built(ALL, { controllers: [...controllers, Sums] }));
    const options: MicroserviceOptions = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } };
    app.connectMicroservice(options, { deferInitialization: true }).useGlobalGuards(app.get(RateLimitGuard));
    await app.init();
    expect(warnings).toEqual([]);
  });

  it('on a controller, and a test has replaced it', async () => {
    const warnings = emittedWarnings();
    const builder = built(ONE, { controllers: [Guarded] });
    await start(builder.overrideGuard(RateLimitGuard).useValue({ canActivate: () => true }));
    expect(warnings).toEqual([]);
  });

  it('an existing APP_GUARD, and a test has replaced it', async () => {
    const warnings = emittedWarnings();
    const providers = [{ provide: APP_GUARD, useExisting: RateLimitGuard }];
    const builder = built(ONE, { controllers, providers });
    await start(builder.overrideProvider(RateLimitGuard).useValue({ canActivate: () => true }));
    expect(warnings).toEqual([]);
  });
});
