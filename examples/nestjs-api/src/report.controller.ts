import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { reportAt } from '@sluice/example-shared';
import { RATE_LIMIT_STORE, RateLimit, RateLimitGuard, type Store } from '@sluice/nestjs';

@Controller('report')
export class ReportController {
  constructor(@Inject(RATE_LIMIT_STORE) private readonly store: Store) {}

  /** Requests wait for their turn, and are refused only when the queue is full. */
  @Get()
  @UseGuards(RateLimitGuard)
  @RateLimit('default', 'report')
  report() {
    return reportAt(this.store.clock.now());
  }
}
