import type { Observation } from '../fleet/observation.js';
import type { Setup } from '../tape/tape.js';
import { Calls } from './calls.js';
import { Conditions } from './conditions.js';
import { SetupFacts } from './setup-facts.js';

/** What all invariants know. */
export interface Knowledge {
  readonly facts: SetupFacts;
  readonly conditions: Conditions;
  readonly calls: Calls;
}

export function newKnowledge(setup: Setup, atMs: number): Knowledge {
  const facts = new SetupFacts(setup);
  const conditions = new Conditions(facts, atMs);
  return { facts, conditions, calls: new Calls(facts, conditions) };
}

export function note({ conditions, calls }: Knowledge, observation: Observation): void {
  conditions.note(observation);
  calls.note(observation);
}
