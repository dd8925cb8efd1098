import type { Command } from 'commander';
import type { Io } from '../io.js';
import { removalVerb } from '../server/removal-verb.js';

/** `sluice unblock`: lifts the blocks of keys. */
export function addUnblock(program: Command, io: Io): void {
  const description = 'lift the blocks of keys; what they have spent stays spent';
  removalVerb(program, { name: 'unblock', description, done: 'unblocked', nothing: 'it was not blocked' }, io);
}
