import type { Command } from 'commander';

/** Adds the reason, which every verb that changes something needs. */
export function withReason(verb: Command): Command {
  return verb.requiredOption('--reason <text>', 'why, for the audit');
}
