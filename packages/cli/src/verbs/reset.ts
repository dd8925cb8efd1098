import type { Command } from 'commander';
import type { Io } from '../io.js';
import { removalVerb } from '../server/removal-verb.js';

/** `sluice reset`: forgets what keys have spent. */
export function addReset(program: Command, io: Io): void {
  const description = 'forget what keys have spent, with their blocks and slots';
  removalVerb(program, { name: 'reset', description, done: 'forgotten', nothing: 'there was nothing to forget' }, io);
}
