import type { PolicyFile, PolicyRule } from '@sluice/config';
import type { PolicyHandle } from '@sluice/core/http';
import { InputProblem } from '../../http/input-problem.js';
import type { Service } from '../../service/service.js';
import type { ServiceCall } from '../../service/service-call.js';

/** A policy that an operator has named. */
export interface NamedPolicy {
  readonly file: PolicyFile;
  readonly rule: PolicyRule;
  readonly handle: PolicyHandle<[call: ServiceCall]>;
}

/**
 * Finds a policy by its name.
 *
 * @throws InputProblem 404
 */
export function namedPolicy(service: Service, name: string): NamedPolicy {
  const { file } = service.live;
  const rule = file.policies.get(name);
  if (rule) return { file, rule, handle: service.handle(name) };
  const names = [...file.policies.keys()].join(', ');
  throw new InputProblem(404, [{ pointer: '/policy', detail: `is not in the file, which has ${names}` }]);
}
