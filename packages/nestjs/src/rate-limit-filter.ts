import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { sendRefusal } from '@sluice/core/http';
import { RateLimitException } from './rate-limit-exception.js';

/** Sends Sluice's own response to refused HTTP requests. GraphQL servers report the exception themselves. */
@Catch(RateLimitException)
export class RateLimitFilter implements ExceptionFilter<RateLimitException> {
  catch({ refusal }: RateLimitException, host: ArgumentsHost): void {
    if (host.getType() === 'http') sendRefusal(host.switchToHttp().getResponse(), refusal);
  }
}
