import { SluiceError } from '@sluice/core';
import { InputProblem } from '../http/input-problem.js';
import type { AdminVerb, VerbRun } from './admin-verb.js';

/**
 * Runs a verb. If it writes, an audit line says who has done what and why, and whether it was done. A request that was wrong has
 * changed nothing, and has no line.
 */
export async function audited(verb: AdminVerb, run: Omit<VerbRun<unknown>, 'note'>): Promise<object> {
  const facts: Record<string, unknown> = {};
  const note = (more: Readonly<Record<string, unknown>>): void => void Object.assign(facts, more);
  if (verb.access === 'read') return verb.run({ ...run, note });
  try {
    const answer = await verb.run({ ...run, note });
    write(verb, run, { outcome: 'done', ...facts });
    return answer;
  } catch (error) {
    // After a timeout, nobody knows whether the store has done it.
    if (!(error instanceof InputProblem)) write(verb, run, { ...facts, outcome: 'failed', error: codeOf(error) });
    throw error;
  }
}

function write(verb: AdminVerb, { input, caller, parts }: Omit<VerbRun<unknown>, 'note'>, facts: object): void {
  const { reason } = input as { readonly reason?: string };
  const at = new Date(parts.service.store.clock.now()).toISOString();
  parts.audit.write(`${JSON.stringify({ at, action: verb.name, by: caller.name, reason, ...facts })}\n`);
}

/** A message can contain a key, a code cannot. */
function codeOf(error: unknown): string {
  return error instanceof SluiceError ? error.code : 'unexpected';
}
