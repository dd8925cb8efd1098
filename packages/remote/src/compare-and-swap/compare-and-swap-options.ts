import type { Keyspace } from '@sluice/core/src/stores/keyspace';
import { timerMs } from '@sluice/core/src/values/duration';
import { optionError } from '@sluice/core/src/values/error';
import { checkName, checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import { type RemoteStoreOptions, sharingOf } from '../guard/remote-store-options.js';
import type { CompareAndSwapBackend } from './backend.js';
import { TIMEOUTS_PER_CALL } from './batch-attempts.js';

/** The options of `compareAndSwapStore`. */
export interface CompareAndSwapOptions extends RemoteStoreOptions {
  /** How often a decision is tried if other instances change its keys meanwhile: 1 to 1,000. Default: 50. */
  attempts?: number;
  /**
   * The most reads and writes that this process runs at the same time. Further decisions wait, and then share the next
   * read and write. A low number is cheaper for a database with few connections. Default: no maximum.
   */
  parallel?: number;
  /** Returns why the database cannot answer now, if that is known. Error messages contain it. */
  trouble?: () => string | undefined;
  /** The place where the database counts. Default: stores with the same backend object count together. */
  keyspace?: Keyspace;
}

const OPTIONS = [
  'name',
  'timeout',
  'instances',
  'random',
  'attempts',
  'parallel',
  'trouble',
  'keyspace',
  'clock',
] as const;

/** The numbers and the name that a store has by its options. */
interface CompareAndSwapSettings {
  readonly name: string;
  readonly timeoutMs: number;
  readonly sharing: ReturnType<typeof sharingOf>;
  readonly attempts: number;
  /** Infinite without a maximum. */
  readonly mostBatches: number;
}

/**
 * Checks the arguments of `compareAndSwapStore`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function compareAndSwapSettings(
  backend: CompareAndSwapBackend,
  options: CompareAndSwapOptions,
): CompareAndSwapSettings {
  for (const method of ['read', 'swap', 'delete'] as const) {
    if (typeof backend?.[method] !== 'function')
      throw optionError('backend', 'must have the methods read, swap and delete', backend);
  }
  checkOptions(options, OPTIONS);
  const { name = 'store', timeout = 100, attempts = 50, parallel } = options;
  return {
    name: checkName(name, 'name'),
    attempts: checkWhole(attempts, 'attempts', 1, 1000),
    mostBatches: parallel === undefined ? Number.POSITIVE_INFINITY : checkWhole(parallel, 'parallel', 1),
    timeoutMs: timerMs(timeout, 'timeout', TIMEOUTS_PER_CALL),
    sharing: sharingOf(options),
  };
}
