import { lengthMs, shareOf, timeMs } from './amounts.js';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import type { Brake, RolloutStep } from './policy-file.js';
import type { PolicyInput, RolloutStepInput } from './schema.js';
import type { Sound } from './structure.js';

/** Reads the steps of a rollout. Each one begins at a time, or some time after the one before it. */
export function readRollout(
  steps: readonly (Sound<RolloutStepInput> | undefined)[],
  path: Path,
  mistakes: MistakeList,
): readonly RolloutStep[] {
  const read: RolloutStep[] = [];
  for (const [i, step] of steps.entries()) {
    const last = read.at(-1);
    const fromMs = step && beginOf(step, last, [...path, i], mistakes);
    // The next steps may depend on this one.
    if (fromMs === undefined || step?.enforce === undefined) return read;
    const enforce = shareOf(step.enforce);
    if (last !== undefined && fromMs <= last.fromMs) {
      mistakes.addValue([...path, i, 'from'], 'must be later than the step before it', step.from);
    }
    if (last !== undefined && enforce < last.enforce) {
      const rule = `must be at least ${last.enforce}, the share of the step before it, because a rollout only grows`;
      mistakes.addValue([...path, i, 'enforce'], rule, step.enforce);
    }
    read.push({ fromMs, enforce });
  }
  return read;
}

/** Returns when a step begins, in Unix milliseconds. */
function beginOf(
  { from, after }: Sound<RolloutStepInput>,
  last: RolloutStep | undefined,
  path: Path,
  mistakes: MistakeList,
): number | undefined {
  if (from !== undefined && after !== undefined) {
    mistakes.addValue([...path, 'after'], 'must not be beside from: keep one of the two', after, { at: 'key' });
    return undefined;
  }
  if (from !== undefined) return timeMs(from, [...path, 'from'], mistakes);
  if (mistakes.isDamaged(path)) return undefined;
  if (last === undefined) {
    mistakes.add([...path, 'from'], 'is missing: the first step needs a time, such as from: 2026-12-01T09:00:00Z', {
      at: 'missing',
    });
    return undefined;
  }
  if (after === undefined) {
    mistakes.add([...path, 'after'], 'is missing: say when the step begins, by after or from', { at: 'missing' });
    return undefined;
  }
  const afterMs = lengthMs(after, [...path, 'after'], mistakes);
  return afterMs === undefined ? undefined : last.fromMs + afterMs;
}

/** Reads the brake of a rollout. */
export function readBrake(
  { refused, over }: NonNullable<Sound<PolicyInput>['brake']>,
  rollout: readonly RolloutStep[] | undefined,
  path: Path,
  mistakes: MistakeList,
): Brake | undefined {
  if (rollout === undefined) {
    const rule =
      'needs a rollout, because it acts only while a step enforces for a part of the keys: add one, or remove the brake';
    mistakes.add(path, rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  } else if (rollout.length > 0 && rollout.every(({ enforce }) => enforce === 1 || enforce === 0)) {
    const rule =
      'never acts, because no step of the rollout enforces for a part of the keys: add a step such as enforce: 5%';
    mistakes.add(path, rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  }
  if (refused === undefined || over === undefined) return undefined;
  const share = shareOf(refused);
  if (share === 0) mistakes.addValue([...path, 'refused'], 'must be above 0', refused);
  const overMs = lengthMs(over, [...path, 'over'], mistakes);
  return overMs === undefined ? undefined : { refused: share, overMs };
}
