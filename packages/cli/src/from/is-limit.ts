import { readPolicyFile } from '@sluice/config';
import type { LimitSpec } from './conversion.js';

/** Whether a policy file accepts a limit. Other products know larger numbers than can be counted exactly. */
export function isLimit(spec: LimitSpec): boolean {
  const file = { version: 1, policies: { api: { limits: [{ name: 'limit', ...spec }] } } };
  return readPolicyFile(JSON.stringify(file)).mistakes === undefined;
}
