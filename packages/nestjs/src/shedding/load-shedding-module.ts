import { type DynamicModule, Global, type HttpServer, Inject, Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Shedder } from '@sluice/core/application';
import {
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  type OPTIONS_TYPE,
  SHED_LOAD,
  SHEDDER,
} from './module-definition.js';
import type { ShedLoadOptions } from './options.js';
import { placeFirst } from './place-first.js';
import { type ShedLoadMiddleware, shedLoad } from './shed-load.js';

/**
 * Sheds load: while this process cannot keep up, it refuses the least important requests with status 503 and
 * `Retry-After`, so that all others are answered quickly. Import it once; it is global. It places its middleware before all others, also before those of `main.ts`, and
 * before body parsers, guards, interceptors and pipes. Inject `SHEDDER` for `elastic` limits and in handlers.
 *
 * Only requests over HTTP are shed. In an application without HTTP nothing is shed, and the shedder can be injected.
 *
 * @throws SluiceError `SLUICE_OPTION` when the application is created
 * @example
 * const imports = [LoadSheddingModule.forRoot({ health: ['/health'] })];
 */
@Global()
@Module({
  providers: [
    {
      provide: SHED_LOAD,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: ShedLoadOptions): ShedLoadMiddleware => shedLoad(options),
    },
    { provide: SHEDDER, inject: [SHED_LOAD], useFactory: ({ shedder }: ShedLoadMiddleware): Shedder => shedder },
  ],
  exports: [SHEDDER],
})
export class LoadSheddingModule extends ConfigurableModuleClass implements NestModule {
  /** @throws SluiceError `SLUICE_OPTION` when the application is created */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    // biome-ignore lint/complexity/noThisInStatic: the module has to be this class.
    return super.forRoot(options);
  }

  readonly #shedLoad: ShedLoadMiddleware;
  readonly #host: HttpAdapterHost;
  #server: HttpServer | undefined;

  constructor(@Inject(SHED_LOAD) shedLoad: ShedLoadMiddleware, @Inject(HttpAdapterHost) host: HttpAdapterHost) {
    super();
    this.#shedLoad = shedLoad;
    this.#host = host;
    this.#place();
  }

  /** In a testing module the server is made later than the module. */
  configure(): void {
    this.#place();
  }

  #place(): void {
    const { httpAdapter } = this.#host;
    if (!httpAdapter || httpAdapter === this.#server) return;
    this.#server = httpAdapter;
    placeFirst(this.#shedLoad, httpAdapter);
  }
}
