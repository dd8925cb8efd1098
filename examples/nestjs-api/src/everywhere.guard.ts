import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type PolicyLike, RateLimitGuard } from '@sluice/nestjs';

/**
 * Counts every call before anything is known about who calls. Policies that handlers name beside the default one are left
 * to guards of their own, which stand behind those that know the customer.
 */
@Injectable()
export class EverywhereGuard extends RateLimitGuard {
  protected override policiesOf(context: ExecutionContext): readonly PolicyLike[] {
    return super.policiesOf(context).filter((policy) => policy === 'default');
  }
}
