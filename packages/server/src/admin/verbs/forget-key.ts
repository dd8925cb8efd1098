import * as v from 'valibot';
import { exactObject } from '../../input/exact-object.js';
import { type AdminVerb, adminVerb } from '../admin-verb.js';
import { givenKey } from '../keys/given-key.js';
import { policyName, reason } from './fields.js';
import { namedKey } from './named-key.js';

export const reset = forgetting(
  'reset',
  'Forgets what a key has spent in every limit of a policy, with its blocks and slots.',
);

export const unblock = forgetting(
  'unblock',
  'Lifts every block of a key, those that limits have set too. What it has spent stays spent.',
);

/** Makes a verb that has a policy forget something of a key. */
function forgetting(name: 'reset' | 'unblock', summary: string): AdminVerb {
  return adminVerb({
    name,
    summary,
    access: 'write',
    schema: exactObject({ policy: policyName, key: v.exactOptional(givenKey), reason }),
    async run(run) {
      const { handle, key, hash } = namedKey(run);
      const found = await handle[name](key);
      run.note({ found });
      return { policy: run.input.policy, key: hash, found };
    },
  });
}
