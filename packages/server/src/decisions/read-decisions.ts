import type { PolicyFile } from '@sluice/config';
import type { InputMistake } from '../http/input-problem.js';
import { type Checked, checkInput, type Place, pointerOf } from '../input/check-input.js';
import { inputProblem, MOST_LISTED } from '../input/many-mistakes.js';
import { type DecisionRequest, decisionRequest, MOST_DECISIONS } from './decision-request.js';

/**
 * Checks the body of `POST /v1/decisions`: one request, or a list of them. Nothing is decided if one of them has a mistake of form.
 *
 * @throws InputProblem 400 with all mistakes; 413 for a list that is too long
 */
export function readDecisions(body: unknown): DecisionRequest | DecisionRequest[] {
  if (!Array.isArray(body)) return checkedValue(readDecision(body, []));
  const { length } = body;
  if (length === 0) throw inputProblem(400, [{ pointer: '', detail: 'must not be an empty list' }]);
  if (length > MOST_DECISIONS) {
    const detail = `must be a list of at most ${MOST_DECISIONS} decisions, got ${length}`;
    throw inputProblem(413, [{ pointer: '', detail }]);
  }
  const requests: DecisionRequest[] = [];
  const mistakes: InputMistake[] = [];
  for (let i = 0; i < length && mistakes.length < MOST_LISTED; i += 1) {
    const checked = readDecision(body[i], [i]);
    if (checked.mistakes) mistakes.push(...checked.mistakes);
    else requests.push(checked.value);
  }
  if (mistakes.length > 0) throw inputProblem(400, mistakes);
  return requests;
}

function checkedValue<T>(checked: Checked<T>): T {
  if (checked.mistakes) throw inputProblem(400, checked.mistakes);
  return checked.value;
}

function readDecision(value: unknown, place: Place): Checked<DecisionRequest> {
  const checked = checkInput(decisionRequest, value, place);
  const further = isRecord(value) ? contradictions(value, place) : [];
  if (further.length === 0) return checked;
  return { mistakes: [...(checked.mistakes ?? []), ...further] };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members that are right by themselves, and wrong together. */
function contradictions(
  { kind, id, expires, request }: Readonly<Record<string, unknown>>,
  place: Place,
): InputMistake[] {
  const mistakes: InputMistake[] = [];
  if (id !== undefined && kind === 'peek') {
    mistakes.push({ pointer: pointerOf([...place, 'id']), detail: 'has no meaning for a peek, which spends nothing' });
  }
  if (expires !== undefined && kind !== 'reserve') {
    mistakes.push({ pointer: pointerOf([...place, 'expires']), detail: "needs the kind 'reserve'" });
  }
  if (isRecord(request) && isRecord(request.headers)) {
    const seen = new Set<string>();
    for (const name of Object.keys(request.headers)) {
      const field = name.toLowerCase();
      if (seen.has(field)) {
        const pointer = pointerOf([...place, 'request', 'headers', name]);
        mistakes.push({ pointer, detail: 'is the same field as one before it: send a list of its values' });
      }
      seen.add(field);
    }
  }
  return mistakes;
}

/** Lists the names in `keys` that the policy file does not take from code. Each would count by the address instead. */
export function unknownKeys({ keys }: DecisionRequest, file: PolicyFile, place: Place): readonly InputMistake[] {
  if (keys === undefined) return [];
  const isKnown = (name: string): boolean => file.keys.get(name)?.from === 'code';
  return Object.keys(keys)
    .filter((name) => !isKnown(name))
    .map((name) => ({
      pointer: pointerOf([...place, 'keys', name]),
      detail: 'is no key that the policy file takes from code',
    }));
}
