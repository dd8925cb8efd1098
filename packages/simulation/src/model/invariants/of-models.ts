import { Budget } from './budget.js';
import { Thresholds } from './thresholds.js';

/** The promises about calls of language models. */
export const MODEL_INVARIANTS = [Budget, Thresholds] as const;
