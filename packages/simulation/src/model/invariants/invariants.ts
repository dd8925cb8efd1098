import type { Knowledge } from '../knowledge.js';
import type { Invariant } from '../violation.js';
import { Blocked } from './blocked.js';
import { Bound } from './bound.js';
import { Bounded } from './bounded.js';
import { Deadline } from './deadline.js';
import { Errors } from './errors.js';
import { Guaranteed } from './guaranteed.js';
import { Ledger } from './ledger.js';
import { Obeying } from './obeying.js';
import { MODEL_INVARIANTS } from './of-models.js';
import { Once } from './once.js';
import { Shadow } from './shadow.js';
import { Slots } from './slots.js';
import { Source } from './source.js';

type NewInvariant = new (knowledge: Knowledge) => Invariant;

/** Every promise that is watched, in the order in which they are asked. */
export const INVARIANTS: readonly NewInvariant[] = [
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
  ...MODEL_INVARIANTS,
];
