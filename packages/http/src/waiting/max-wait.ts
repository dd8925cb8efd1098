import { type Policy, policyOf } from '@sluice/core/src/limiter/policy/parse';
import { durationMs } from '@sluice/core/src/values/duration';
import { optionError } from '@sluice/core/src/values/error';
import { whenReady } from '@sluice/core/src/values/eventual';
import type { Limit } from '@sluice/core/src/values/limit';
import { checkWhole } from '@sluice/core/src/values/option-checks';
import { checkHttpOptions, HTTP_INSTEAD, HTTP_OPTIONS, type HttpOptions } from '../options/options.js';
import type { Host } from '../request/host.js';

type Args = readonly unknown[];

/** How requests of a policy wait. */
export interface Waiting<A extends Args> {
  /** The policy, which refuses limits that must not stand beside `maxWait`. */
  readonly policy: Policy<A>;
  /** How long refused requests wait at most; undefined if they do not. */
  readonly maxWaitMs: number | undefined;
  /** How many requests wait at the same time; undefined if there is no bound. */
  readonly most: number | undefined;
}

const DEFAULT_MOST = 100;

/**
 * Reads the options of a policy over HTTP, and how its requests wait.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function waitingPolicyOf<A extends Args>(options: HttpOptions<A>): Waiting<A> {
  const policy = policyOf(options, HTTP_OPTIONS, HTTP_INSTEAD);
  checkHttpOptions(options);
  const { maxWait, waiting } = options;
  const slowDowns = policy.items.flatMap(({ slowDown }) => slowDown ?? []);
  const mayWait = maxWait !== undefined || slowDowns.length > 0;
  // A policy file that is switched off limits nothing for a while, and then does again.
  const limitsNothing = policy.items.every(({ algorithm }) => algorithm === 'unlimited');
  if (waiting !== undefined && !mayWait && !limitsNothing)
    throw optionError('waiting', 'needs maxWait or slowDown', waiting);
  const bounds = slowDowns.flatMap((slowDown) => slowDown.waiting ?? []);
  if (waiting !== undefined) bounds.push(checkWhole(waiting, 'waiting', 1));
  const most = mayWait ? Math.min(...(bounds.length > 0 ? bounds : [DEFAULT_MOST])) : undefined;
  const checked = withoutPenalties(policy, options);
  if (maxWait === undefined) return { policy: checked, maxWaitMs: undefined, most };
  return { policy: checked, maxWaitMs: durationMs(maxWait, 'maxWait'), most };
}

/**
 * Checks that requests of a host can wait.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkMayWait<A extends Args>({ spendOf }: Pick<Host<A>, 'spendOf'>, { maxWait }: HttpOptions<A>): void {
  if (!spendOf) return;
  throw optionError('maxWait', 'cannot be used here, because nobody can wait for the request', maxWait);
}

/** Options by which one request may ask the limits several times. */
const ASKING_AGAIN = ['maxWait', 'reconsider'] as const;

/** Whoever asks again was refused before: it would be counted for that, or would start a block. */
function withoutPenalties<A extends Args>(policy: Policy<A>, options: HttpOptions<A>): Policy<A> {
  const option = ASKING_AGAIN.find((name) => options[name] !== undefined);
  if (option === undefined) return policy;
  const items = policy.items.map((item) => {
    const check = (limit: Limit): Limit => {
      if (limit.countRejected === undefined && limit.blockMs === undefined) return limit;
      const rule = `must not be used with the limit ${JSON.stringify(item.name)}, which has countRejected or blockDuration`;
      throw optionError(option, rule, options[option]);
    };
    const { limit } = item;
    if (typeof limit !== 'function') {
      check(limit);
      return item;
    }
    return { ...item, limit: (...args: A) => whenReady(limit(...args), check) as Limit | Promise<Limit> };
  });
  return { ...policy, items };
}
