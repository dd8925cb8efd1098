import { checkAddressless } from './check-addressless.js';
import { policiesFor } from './decorators.js';
import type { Handler } from './handler.js';
import type { RateLimitService } from './rate-limit-service.js';

/** The metadata key of `@MessagePattern`, `@EventPattern` and `@GrpcMethod` on a handler. */
const MESSAGE_PATTERN = 'microservices:pattern';

/** Checks the policies of a handler, so that a mistake in a decorator shows at the start. */
export function checkPolicies({ type, method }: Handler, rateLimits: RateLimitService): void {
  const policies = policiesFor(method, type, rateLimits).map((policy) => rateLimits.policy(policy));
  if (!Reflect.hasMetadata(MESSAGE_PATTERN, method)) return;
  for (const policy of policies) {
    checkAddressless(policy, `${type.name}.${method.name} takes messages`, 'add @SkipRateLimit()');
  }
}
