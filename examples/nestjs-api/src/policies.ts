import { Inject, Injectable } from '@nestjs/common';
import { customerOf, DOWNLOADS, EVERYWHERE, FAILURES, planOf, REPORTS, userNameOf } from '@sluice/example-shared';
import { byIp, everyone, RATE_LIMIT_STORE, type RateLimitModuleOptions, type Store } from '@sluice/nestjs';
import type { Request } from 'express';
import './rate-limit-types.js';

/** All policies of the application: the one for every handler, and those that handlers name. */
@Injectable()
export class Policies {
  /** Each customer has the limits of its plan, whatever address it calls from. */
  readonly quotes;

  constructor(@Inject(RATE_LIMIT_STORE) private readonly store: Store) {
    this.quotes = {
      name: 'quotes',
      keyGenerator: (req: Request) => customerOf(req)?.id,
      limits: [
        { name: 'burst', limit: (req: Request) => planOf(req).burst },
        { name: 'minute', limit: (req: Request) => planOf(req).minute },
        { name: 'day', limit: (req: Request) => planOf(req).day },
      ],
      store,
    };
  }

  createRateLimitOptions(): RateLimitModuleOptions {
    return {
      name: 'everywhere',
      limit: EVERYWHERE,
      store: this.store,
      policies: {
        login: {
          limit: FAILURES,
          keyGenerator: [byIp(), ({ body }) => userNameOf(body)],
          skipSuccessfulRequests: true,
        },
        quotes: this.quotes,
        report: { limit: REPORTS, keyGenerator: everyone() },
        export: { limit: DOWNLOADS },
      },
    };
  }
}
