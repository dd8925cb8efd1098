import { InputProblem, quotable } from '../http/input-problem.js';
import type { Service } from '../service/service.js';

/** Nobody needs more, and a request must not be able to ask for very many. */
const MOST_POLICIES = 16;

/** A slash parts two names, and a percent sign begins an escape, whatever policies the file has. */
const PARTED = /[/%]/;

/**
 * Returns the policies that stand in a path, one after the other: `login/api`. A slash in a name is written as `%2F`.
 *
 * @throws InputProblem 404 for a policy that the file does not have
 */
export function namedPolicies(path: string, service: Pick<Service, 'has'>): string | readonly string[] {
  if (service.has(path) && !PARTED.test(path)) return path;
  const segments = path.split('/', MOST_POLICIES + 1);
  if (segments.length > MOST_POLICIES) throw wrong(400, `must be at most ${MOST_POLICIES} policies`);
  const names = segments.map(decoded);
  for (const name of names)
    if (!service.has(name)) throw wrong(404, `is not in the policy file: ${JSON.stringify(quotable(name))}`);
  if (new Set(names).size < names.length) throw wrong(400, 'must not stand in the path twice');
  return names;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw wrong(400, 'must be percent-encoded UTF-8');
  }
}

function wrong(status: number, detail: string): InputProblem {
  return new InputProblem(status, [{ parameter: 'policy', detail }]);
}
