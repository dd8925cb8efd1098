import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { MemoryStore, type MemoryStoreOptions, SluiceError } from '@sluice/core';
import { restoreSnapshot, snapshotOf } from '@sluice/core/store';
import { optionError } from '@sluice/core/values';

/** The counters of a process that has become the primary. */
interface OpenedMemory {
  readonly memory: MemoryStore;
  /** How old the snapshot was that they were read from; undefined if they begin with nothing. */
  readonly ageMs: number | undefined;
}

/** Whose file it is: the open stores of one channel. */
interface Claim {
  readonly channel: string;
  stores: number;
}

/** By the file. */
const claims = new Map<string, Claim>();

/**
 * Claims a file for a store with this channel. Of two stores that write one file, the last one to end would leave nothing of the other.
 * Returns a function that ends the claim.
 *
 * @throws SluiceError `SLUICE_OPTION` if the file is that of another channel
 */
export function claimSnapshot(file: string, channel: string): () => void {
  const claim = claims.get(file) ?? { channel, stores: 0 };
  if (claim.channel !== channel)
    throw optionError('snapshot', 'must be another file than that of the other store in this process', file);
  claims.set(file, claim);
  claim.stores += 1;
  return () => {
    claim.stores -= 1;
    if (claim.stores === 0) claims.delete(file);
  };
}

/**
 * Opens the counters that a primary before this one has left in a file. Each snapshot is read once: what it has would be older after a crash.
 * Without a file, or with one that cannot be read, they begin with nothing.
 */
export function openMemory(file: string | undefined, options: MemoryStoreOptions): OpenedMemory {
  const restored = file === undefined ? undefined : restore(file, options);
  return restored ?? { memory: new MemoryStore(options), ageMs: undefined };
}

function restore(file: string, options: MemoryStoreOptions): OpenedMemory | undefined {
  try {
    const snapshot = readFileSync(file);
    const { store: memory, atMs } = restoreSnapshot(snapshot, options);
    rmSync(file);
    return { memory, ageMs: Math.max(0, memory.clock.now() - atMs) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') warnOf(file, error);
    return undefined;
  }
}

/**
 * Writes the counters to a file that only this user can read. Another file of this name is replaced as a whole.
 *
 * @throws SluiceError `SLUICE_STORE`
 */
export function saveMemory(file: string, memory: MemoryStore): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, snapshotOf(memory), { mode: 0o600 });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const message = `the snapshot ${file} could not be written: ${(error as Error).message}`;
    throw new SluiceError('SLUICE_STORE', message, { cause: error });
  }
}

function warnOf(file: string, error: unknown): void {
  process.emitWarning(
    `The snapshot ${file} is not used, and the counters begin with nothing: ${(error as Error).message}`,
    {
      type: 'SluiceWarning',
      code: 'SLUICE_SNAPSHOT_UNREAD',
      detail: 'See node_modules/@sluice/core/docs/errors.md',
    },
  );
}
