import type { Observation } from '../fleet/observation.js';
import { INVARIANTS } from './invariants/invariants.js';
import { type Knowledge, newKnowledge, note } from './knowledge.js';
import type { Invariant, Violation } from './violation.js';

export type { Invariant, Violation } from './violation.js';

/**
 * What the documentation promises, as something that watches a fleet. It is written from the documentation and not from the code, and is
 * careful: what it cannot know for certain, it takes for right.
 */
export class Model {
  #knowledge: Knowledge | undefined;
  #invariants: readonly Invariant[] = [];

  /** Returns the first promise that what happens now breaks. Call it with everything that happens, in its order. */
  observe(observation: Observation): Violation | undefined {
    if (observation.kind === 'began') {
      const knowledge = newKnowledge(observation.setup, observation.atMs);
      this.#knowledge = knowledge;
      this.#invariants = INVARIANTS.map((NewOne) => new NewOne(knowledge));
      return undefined;
    }
    if (!this.#knowledge) throw new Error('A model has to see how the run began');
    note(this.#knowledge, observation);
    for (const invariant of this.#invariants) {
      const violation = invariant.observe(observation);
      if (violation) return violation;
    }
    return undefined;
  }
}
