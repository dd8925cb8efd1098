import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import type { CostRule } from './policy-file.js';
import { readTrust } from './read-trust.js';
import type { CostInput } from './schema.js';
import type { Sound } from './structure.js';

/** The cost of a request of which the file says nothing. */
export const ONE_UNIT: CostRule = { from: 'constant', units: 1 };

/** Reads what a request costs: a constant, or a number from a header or from code within limits. */
export function readCost(input: Sound<CostInput>, path: Path, mistakes: MistakeList): CostRule {
  if (typeof input === 'number') return { from: 'constant', units: input };
  const {
    from,
    header,
    trustedFrom,
    min = 1,
    default: usual = Math.max(1, min),
    max = Number.MAX_SAFE_INTEGER,
  } = input;
  if ((from === undefined) === (header === undefined)) {
    if (!mistakes.isDamaged(path)) mistakes.add(path, 'must have either header or from: code', { at: 'missing' });
  } else if (header === undefined && trustedFrom !== undefined) {
    mistakes.addValue([...path, 'trustedFrom'], 'belongs to a header: remove it', trustedFrom, { at: 'key' });
  }
  if (min > max) mistakes.addValue([...path, 'min'], `must be at most max, which is ${max}`, min);
  else if (usual < min || usual > max) {
    mistakes.addValue([...path, 'default'], `must be from min to max: from ${min} to ${max}`, usual);
  }
  const range = { min, max, default: usual };
  if (header === undefined) return { from: 'code', ...range };
  return { from: 'header', header, ...range, trustedFrom: readTrust(trustedFrom, header, path, mistakes) };
}
