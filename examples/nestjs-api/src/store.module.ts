import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type OpenStore, openStore, settingsFrom } from '@sluice/example-shared';
import { RATE_LIMIT_STORE } from '@sluice/nestjs';

const OPEN_STORE = Symbol('OPEN_STORE');

/** Where requests are counted, until the application has shut down. */
@Module({
  providers: [
    {
      provide: OPEN_STORE,
      useFactory: () => {
        const { redisUrl, instances } = settingsFrom(process.env);
        return openStore(redisUrl, instances);
      },
    },
    { provide: RATE_LIMIT_STORE, inject: [OPEN_STORE], useFactory: ({ store }: OpenStore) => store },
  ],
  exports: [RATE_LIMIT_STORE],
})
export class StoreModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(OPEN_STORE) private readonly opened: OpenStore) {}

  /** By then all policies are made. */
  onApplicationBootstrap(): Promise<void> {
    return this.opened.ready();
  }

  onApplicationShutdown(): Promise<void> {
    return this.opened.close();
  }
}
