import { resolve } from 'node:path';
import type { MemoryStoreOptions } from '@sluice/core';
import type { RemoteStoreOptions } from '@sluice/core/store';
import { checkOptions, optionError } from '@sluice/core/values';
import type { Role } from './place.js';

/** The options of `clusterStore`. All processes pass the same. */
export interface ClusterStoreOptions extends RemoteStoreOptions, Pick<MemoryStoreOptions, 'maxKeys' | 'whenFull'> {
  /**
   * What this process does: the primary keeps the counters, and the workers ask it. Default: the primary of `node:cluster`, or instance 0 of
   * PM2, is the primary. So is a process that neither of the two has started. Set it, together with `channel`, if you start processes yourself.
   */
  role?: Role;
  /**
   * The path of the socket over which workers ask: at most 103 bytes. On Windows it is the name of a pipe, as `\\.\pipe\limits`. Whoever may write
   * it can ask for decisions. Default: a socket in a folder for temporary files, which no other user may enter.
   */
  channel?: string;
  /**
   * A file for the counters while no primary runs. The primary writes it when its store is closed or its process exits, and the next one reads it once.
   * It has secrets, so no other user can read it. Each store needs a file of its own. Default: the counters end with the primary.
   */
  snapshot?: string;
}

const OPTIONS = [
  'name',
  'role',
  'channel',
  'snapshot',
  'timeout',
  'instances',
  'random',
  'maxKeys',
  'whenFull',
  'clock',
] as const;

/** @throws SluiceError `SLUICE_OPTION` for an option that is not known */
export function checkClusterOptions(options: ClusterStoreOptions): void {
  checkOptions(options, OPTIONS);
}

/**
 * Returns the absolute path of the snapshot: the working directory may change until it is written.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkSnapshot(file: unknown): string {
  if (typeof file === 'string' && file !== '' && !file.includes('\0')) return resolve(file);
  throw optionError('snapshot', 'must be the path of a file', file);
}
