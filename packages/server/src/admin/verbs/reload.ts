import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { reason } from './fields.js';

export const reload = adminVerb({
  name: 'reload',
  summary: 'Reads the policies of this instance now. A text with mistakes is rejected, and changes nothing.',
  access: 'write',
  schema: exactObject({ reason }),
  async run({ parts: { service }, note }) {
    const result = await service.live.reload();
    note({ outcome: result.outcome, revision: result.revision });
    return result;
  },
});
