import type { KeyGenerator } from '@sluice/core';
import * as http from '@sluice/core/http';
import type { Context } from 'koa';

/**
 * Returns the first key: that of the first generator which returns neither null nor undefined. Later ones are not
 * called.
 *
 * @throws SluiceError `SLUICE_OPTION` if there are no generators, or one is no function
 * @example rateLimit({ limit: 100, window: '1m', keyGenerator: firstOf(byHeader('x-api-key'), byIp()) })
 */
export function firstOf(...keys: KeyGenerator<[ctx: Context]>[]): KeyGenerator<[ctx: Context]> {
  const keyOf = http.firstOf<Context>(...keys);
  return (ctx) => keyOf(ctx, undefined);
}
