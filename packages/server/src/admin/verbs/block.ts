import { durationMs } from '@sluice/core/values';
import * as v from 'valibot';
import { exactObject, must } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { givenKey } from '../keys/given-key.js';
import { duration, flag, policyName, reason } from './fields.js';
import { namedKey } from './named-key.js';
import { shownBlock } from './shown-block.js';

export const block = adminVerb({
  name: 'block',
  summary: 'Refuses a key in every limit of a policy, in all instances, for some time or until it is unblocked.',
  access: 'write',
  schema: exactObject({
    policy: policyName,
    key: v.exactOptional(givenKey),
    for: v.pipe(
      v.union([v.literal('forever'), duration], must("be a duration such as '1h', or 'forever'")),
      v.description('How long. A block that ends later stays as it is: to shorten it, unblock first.'),
    ),
    reason,
    reveal: v.pipe(flag, v.description('Whether the list of blocks shows the key, and not only its hash.')),
  }),
  async run(run) {
    const { input, note } = run;
    const { handle, key, hash } = namedKey(run);
    note({ for: input.for });
    await handle.block(key, input.for === 'forever' ? 'forever' : durationMs(input.for, 'for'), {
      reason: input.reason,
      reveal: input.reveal,
    });
    const { block: set } = await handle.inspect(key, { verdicts: false });
    return { policy: input.policy, key: hash, ...(set && { block: shownBlock(set) }) };
  },
});
