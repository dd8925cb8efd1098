import * as v from 'valibot';
import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { givenKey } from '../keys/given-key.js';
import { policyName, reason } from './fields.js';
import { namedKey } from './named-key.js';

export const unblock = adminVerb({
  name: 'unblock',
  summary: 'Lifts every block of a key, those that limits have set too. What it has spent stays spent.',
  access: 'write',
  schema: exactObject({ policy: policyName, key: v.exactOptional(givenKey), reason }),
  async run(run) {
    const { handle, key, hash } = namedKey(run);
    const found = await handle.unblock(key);
    run.note({ found });
    return { policy: run.input.policy, key: hash, found };
  },
});
