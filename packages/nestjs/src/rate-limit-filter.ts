import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { sendRefusal } from '@sluice/core/http';
import { RateLimitException } from './rate-limit-exception.js';

/** Answers refused HTTP requests with Sluice's own bytes. GraphQL servers report the exception themselves. */
@Catch(RateLimitException)
export class RateLimitFilter implements ExceptionFilter<RateLimitException> {
  catch({ refusal }: RateLimitException, host: ArgumentsHost): void {
    if (host.getType() === 'http') sendRefusal(host.switchToHttp().getResponse(), refusal);
  }
}
