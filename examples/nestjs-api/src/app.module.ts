import { type BeforeApplicationShutdown, Inject, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import { drain } from '@sluice/example-shared';
import { RateLimitModule } from '@sluice/nestjs';
import { DownloadsController } from './downloads.controller.js';
import { EverywhereGuard } from './everywhere.guard.js';
import { LoginController } from './login.controller.js';
import { Policies } from './policies.js';
import { PoliciesModule } from './policies.module.js';
import { ProblemFilter } from './problem.filter.js';
import { QuotesController } from './quotes.controller.js';
import { ReportController } from './report.controller.js';
import { NotFoundController, RootController } from './root.controller.js';

@Module({
  imports: [PoliciesModule, RateLimitModule.forRootAsync({ imports: [PoliciesModule], useExisting: Policies })],
  providers: [
    { provide: APP_GUARD, useClass: EverywhereGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  controllers: [
    RootController,
    LoginController,
    QuotesController,
    ReportController,
    DownloadsController,
    // Last: it answers everything.
    NotFoundController,
  ],
})
export class AppModule implements BeforeApplicationShutdown {
  constructor(@Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost) {}

  beforeApplicationShutdown(): void {
    drain(this.adapterHost.httpAdapter.getHttpServer());
  }
}
