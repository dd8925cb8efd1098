import { policyOf } from '@sluice/core/src/limiter/policy/parse';
import { checkObject } from '@sluice/core/src/values/check-object';
import { unlimited } from '@sluice/core/src/values/limit';
import { checkOneOf } from '@sluice/core/src/values/option-checks';
import { extraHeadersOf } from '../headers/extra-headers.js';
import { sentFields } from '../headers/field-options.js';
import { addressMatcher } from '../keys/address-list.js';
import { inheritedOptions } from './inherited-options.js';
import { checkLimiterOptions, hasLimiter, type LimiterOptions } from './limiter-options.js';
import { checkHttpOptions, HTTP_INSTEAD, HTTP_OPTIONS, type HttpOptions, type RequestOptions } from './options.js';

/**
 * Checks options that inherit from others, such as those of a route. Throws errors that do not depend on the inherited
 * options. It makes no policy.
 *
 * @param path - the path of the options
 * @param choices - the options that only the adapter has
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example checkPartialOptions({ standardHeaders: 'draft-7' }, 'config.rateLimit');
 */
export function checkPartialOptions<A extends readonly unknown[]>(
  options: Partial<HttpOptions<A>> | LimiterOptions<A>,
  path: string,
  choices: Readonly<Record<string, readonly unknown[]>> = {},
): void {
  checkObject(options, path);
  for (const [option, value] of Object.entries(options)) {
    if (choices[option] && value !== undefined) checkOneOf(value, option, choices[option]);
  }
  if (hasLimiter(options)) {
    checkLimiterOptions(options, Object.keys(choices));
    checkRequestOptions(options);
    return;
  }
  const whole = inheritedOptions(options, { limit: unlimited() }) as HttpOptions<A>;
  policyOf(whole, [...HTTP_OPTIONS, ...Object.keys(choices)], HTTP_INSTEAD);
  checkHttpOptions(whole);
  checkRequestOptions(whole);
}

/** Checks the options that are otherwise checked when their parts are made. */
function checkRequestOptions<A extends readonly unknown[]>(whole: RequestOptions<A>): void {
  sentFields(whole);
  extraHeadersOf(whole);
  addressMatcher(whole.allowList ?? [], 'allowList');
  addressMatcher(whole.denyList ?? [], 'denyList');
}
