import * as v from 'valibot';
import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { givenKey } from '../keys/given-key.js';
import { policyName, reason } from './fields.js';
import { namedKey } from './named-key.js';

export const reset = adminVerb({
  name: 'reset',
  summary: 'Forgets what a key has spent in every limit of a policy, with its blocks and slots.',
  access: 'write',
  schema: exactObject({ policy: policyName, key: v.exactOptional(givenKey), reason }),
  async run(run) {
    const { handle, key, hash } = namedKey(run);
    const found = await handle.reset(key);
    run.note({ found });
    return { policy: run.input.policy, key: hash, found };
  },
});
