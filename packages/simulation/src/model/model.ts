import type { Observation } from '../fleet/observation.js';
import { Blocked } from './invariants/blocked.js';
import { Bound } from './invariants/bound.js';
import { Bounded } from './invariants/bounded.js';
import { Budget } from './invariants/budget.js';
import { Deadline } from './invariants/deadline.js';
import { Errors } from './invariants/errors.js';
import { Guaranteed } from './invariants/guaranteed.js';
import { Ledger } from './invariants/ledger.js';
import { Obeying } from './invariants/obeying.js';
import { Once } from './invariants/once.js';
import { Shadow } from './invariants/shadow.js';
import { Slots } from './invariants/slots.js';
import { Source } from './invariants/source.js';
import { type Knowledge, newKnowledge, note } from './knowledge.js';
import type { Invariant, Violation } from './violation.js';

export type { Invariant, Violation } from './violation.js';

type NewInvariant = new (knowledge: Knowledge) => Invariant;

const INVARIANTS: readonly NewInvariant[] = [
  Errors,
  Bound,
  Slots,
  Once,
  Blocked,
  Ledger,
  Source,
  Deadline,
  Obeying,
  Guaranteed,
  Shadow,
  Bounded,
  Budget,
];

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
