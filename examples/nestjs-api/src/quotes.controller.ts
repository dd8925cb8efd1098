import { Controller, Get, Inject, Req, UseGuards } from '@nestjs/common';
import { anyQuote, customerOf, quotaOf } from '@sluice/example-shared';
import { createLimiter, type Limiter, RateLimit, RateLimitGuard } from '@sluice/nestjs';
import type { Request } from 'express';
import { CustomerGuard } from './customer.guard.js';
import { Policies } from './policies.js';

@Controller('v1')
@UseGuards(CustomerGuard, RateLimitGuard)
export class QuotesController {
  readonly #limiter: Limiter<Request>;

  constructor(@Inject(Policies) policies: Policies) {
    // Made of the same options, the limiter and the guard count together.
    this.#limiter = createLimiter(policies.quotes);
  }

  @Get('quotes')
  @RateLimit('default', 'quotes')
  quotes() {
    return anyQuote();
  }

  @Get('quota')
  async quota(@Req() req: Request) {
    return quotaOf(customerOf(req), await this.#limiter.peek(req));
  }
}
