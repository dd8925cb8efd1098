import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { warn } from '@sluice/core/values';
import { isDecorated, policiesFor } from './decorators.js';
import type { Handler } from './handler.js';
import { handlersIn } from './handler-setup.js';
import { RateLimitGuard } from './rate-limit-guard.js';
import { RateLimitService } from './rate-limit-service.js';

/**
 * The metadata keys of `@Get` and similar decorators, `@MessagePattern`, `@SubscribeMessage`, and `@Query` of GraphQL
 * on a handler.
 */
const ROUTE = 'path';
const MESSAGE = 'microservices:pattern';
const CALLED_BY_NEST = [ROUTE, MESSAGE, 'websockets:message_mapping', 'graphql:resolver_type'];

/** Warns once, after the start of an application, if it has policies but no guard that counts. */
@Injectable()
export class GuardCheck implements OnApplicationBootstrap {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(RateLimitService) private readonly rateLimits: RateLimitService,
    @Inject(RateLimitGuard) private readonly guard: RateLimitGuard,
  ) {}

  /** `useGlobalGuards` has been called by now, if at all: later calls have no effect. */
  onApplicationBootstrap(): void {
    if (this.#hasGuard()) return;
    const [unguarded, ...others] = this.#servedHandlers();
    if (!unguarded || [unguarded, ...others].some(({ method }) => this.#mayHaveGuardsOfItsOwn(method))) return;
    const handler = `${unguarded.type.name}.${unguarded.method.name}`;
    warn(
      'SLUICE_NO_GUARD',
      `There are policies, for example for ${handler}, but no RateLimitGuard, so nothing is counted. Add to the providers of a module: { provide: APP_GUARD, useClass: RateLimitGuard }`,
    );
  }

  #hasGuard(): boolean {
    const globals = [
      ...this.config.getGlobalGuards(),
      ...this.config.getGlobalRequestGuards().map(({ instance }) => instance),
    ];
    return (
      globals.some((guard) => this.#isOrHolds(guard)) ||
      this.#modules.some(({ injectables }) => [...injectables.values()].some(isGuard)) ||
      this.#isAskedFor()
    );
  }

  /** A guard that the application made without a provider may hold our guard, to call it. */
  #isOrHolds(guard: object): boolean {
    // A function does not show what it calls.
    if (this.#isOurs(guard) || Object.getPrototypeOf(guard) === Object.prototype) return true;
    const keys = Reflect.ownKeys(guard);
    return keys.some((key) => this.#isOurs(Object.getOwnPropertyDescriptor(guard, key)?.value));
  }

  #isOurs(value: unknown): boolean {
    return value === this.guard || value instanceof RateLimitGuard;
  }

  /** A guard of the application may hold our guard, to call it. */
  #isAskedFor(): boolean {
    return this.#classes.some((wrapper) => {
      if (wrapper.metatype === GuardCheck || wrapper.isAlias) return false;
      const properties = wrapper.getPropertiesMetadata() ?? [];
      return [...(wrapper.getCtorMetadata() ?? []), ...properties.map(({ wrapper }) => wrapper)].some(isGuard);
    });
  }

  #servedHandlers(): Handler[] {
    return this.#limitedHandlers().filter(({ method }) => this.#isServed(method));
  }

  #limitedHandlers(): Handler[] {
    return this.#classes
      .flatMap(({ metatype }) => handlersIn(metatype?.prototype))
      .filter(({ type, method }) => {
        const isCalled = CALLED_BY_NEST.some((key) => Reflect.hasMetadata(key, method)) || isDecorated(method, type);
        return isCalled && policiesFor(method, type, this.rateLimits).length > 0;
      });
  }

  /** A program may load the modules of a server without serving, such as a command. */
  #isServed(method: object): boolean {
    return this.host.httpAdapter !== undefined || Reflect.hasMetadata(MESSAGE, method);
  }

  /** A microservice that is connected to an application has its own guards, which the application does not see. */
  #mayHaveGuardsOfItsOwn(method: object): boolean {
    return this.host.httpAdapter !== undefined && Reflect.hasMetadata(MESSAGE, method);
  }

  get #classes() {
    return this.#modules.flatMap(({ controllers, providers, injectables }) => [
      ...controllers.values(),
      ...providers.values(),
      ...injectables.values(),
    ]);
  }

  get #modules() {
    return [...this.modules.values()];
  }
}

/** Tests may have replaced the class. */
function isGuard({ token, metatype }: { readonly token: unknown; readonly metatype: unknown }): boolean {
  return [token, metatype].some((type) => typeof type === 'function' && isGuardClass(type));
}

function isGuardClass(type: { readonly prototype?: unknown }): boolean {
  return type === RateLimitGuard || type.prototype instanceof RateLimitGuard;
}
