import * as v from 'valibot';
import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { flag, reason } from './fields.js';

export const reload = adminVerb({
  name: 'reload',
  summary: 'Reads the policies of this instance now. A text with mistakes is rejected, and changes nothing.',
  access: 'write',
  schema: exactObject({
    reason,
    allowRemovals: v.pipe(flag, v.description('Whether the text may lack policies that decide now.')),
  }),
  async run({ input: { reason: why, allowRemovals }, caller, parts: { service }, note }) {
    if (allowRemovals) note({ allowRemovals });
    const result = await service.live.reload({ allowRemovals, by: caller.name, reason: why });
    note({ outcome: result.outcome, revision: result.revision });
    return result;
  },
});
