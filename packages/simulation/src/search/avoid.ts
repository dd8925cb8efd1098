import type { Step, Tape } from '../tape/tape.js';
import type { Avoidance, KnownDefect } from './known-defects.js';
import { shapeOf } from './shape.js';

/** One of so many seeds leaves nothing out: known defects are still met. */
const LEAVES_NOTHING_OUT = 8;

/** Returns the tape of a seed without what known defects are met by all the time. */
export function avoiding(tape: Tape, seed: number, known: readonly KnownDefect[] = []): Tape {
  const avoided = known.flatMap(({ avoid }) => (avoid ? [avoid] : []));
  if (avoided.length === 0 || seed % LEAVES_NOTHING_OUT === 0) return tape;
  const { stores: own } = shapeOf(tape);
  const concerned = avoided.filter(({ stores }) => stores === undefined || stores.some((kind) => own.includes(kind)));
  return { ...tape, steps: concerned.reduce(without, tape.steps) };
}

function without(steps: readonly Step[], { calls = [], ids }: Avoidance): readonly Step[] {
  return steps.flatMap((step) => {
    if ('fault' in step) return [step];
    if (calls.includes(step.call)) return [];
    return [ids ? withoutId(step) : step];
  });
}

function withoutId(step: Step): Step {
  if (!('id' in step)) return step;
  const { id: _, rememberMs: __, ...rest } = step;
  return rest;
}
