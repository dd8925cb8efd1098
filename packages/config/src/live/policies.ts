import process from 'node:process';
import type { Store } from '@sluice/core';
import { checkFunction, checkOptions, optionError } from '@sluice/core/values';
import type { CodeFunctions } from '../compile/compile-context.js';
import type { PolicyCheck } from '../file/policy-check.js';
import type { Source } from '../source/source.js';
import type { AuditWriter } from './audit.js';
import type { Controls } from './controls.js';
import { enforcementOfEnvironment } from './enforcement-order.js';
import { LastGoodText } from './last-good-text.js';
import type { LivePolicies } from './live-policies.js';
import { PolicyRuntime } from './policy-runtime.js';

/** The options of `policies`. */
export interface PoliciesOptions<Req extends object, Async extends boolean> extends CodeFunctions<Req> {
  /** Where the policies come from: `fromFile`, `fromRedis` or `fromHttp`. */
  readonly source: Source;
  /** Where they count. Its clock says when overrides, blocks and rollout steps begin and end. */
  readonly store: Store<Async>;
  /**
   * Says what your program cannot do of a file: then the file is refused as a whole, with the lines of all mistakes. It is asked
   * about the first file and about each later one. Default: the program can do everything.
   */
  readonly check?: PolicyCheck;
  /** A file for the last good text, so that a process can start while the source is away. Default: none. */
  readonly cache?: string;
  /** Gets a line of JSON for each revision that was applied or rejected, and for each change of the enforcement. Default: none. */
  readonly audit?: AuditWriter;
  /** Carries the kill switch and brakes to all instances: see `redisControls`. Default: each process is alone with them. */
  readonly controls?: Controls;
}

/**
 * Reads policies from a source, and follows it: limits, keys, tiers, customers and rollouts change while requests run, without a
 * restart. A text with mistakes changes nothing, and what was spent stays spent.
 *
 * The variable `SLUICE_ENFORCEMENT` of the environment (`on`, `shadow` or `off`) comes before everything else.
 *
 * @throws SluiceError `SLUICE_POLICY_FILE` with all mistakes of the first text; `SLUICE_SOURCE` if there is none, and no
 * `cache`; `SLUICE_OPTION` if an option is wrong, or the file takes something from code that is not there
 * @example
 * const live = await policies({ source: fromFile('sluice.yaml'), store: new MemoryStore() });
 * app.use('/v1', rateLimit(live.policy('api')));
 */
export async function policies<Req extends object = object, Async extends boolean = false>(
  options: PoliciesOptions<Req, Async>,
): Promise<LivePolicies<Req, Async>> {
  checkOptions(options, ['source', 'store', 'keys', 'tiers', 'costs', 'check', 'cache', 'audit', 'controls']);
  const { source, store, check, cache, audit, controls, keys = {}, tiers = {}, costs = {} } = options;
  checkFunction(source?.read, 'source.read');
  checkFunction(source.changes, 'source.changes');
  if (!store?.clock) throw optionError('store', 'must be a store, like new MemoryStore()', store);
  if (check !== undefined) checkFunction(check, 'check');
  if (cache !== undefined && (typeof cache !== 'string' || cache === '')) {
    throw optionError('cache', 'must be the path of a file', cache);
  }
  if (audit !== undefined) checkFunction(audit?.write, 'audit.write');
  if (controls !== undefined) checkFunction(controls?.read, 'controls.read');
  const environment = enforcementOfEnvironment(process.env);
  const runtime = new PolicyRuntime({
    source,
    code: { store, keys, tiers, costs },
    check,
    cache: cache === undefined ? undefined : new LastGoodText(cache),
    audit,
    controls,
    environment,
  });
  await runtime.start();
  return runtime;
}
