import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { reason } from './fields.js';

export const drain = adminVerb({
  name: 'drain',
  summary:
    'Ends this instance without a failed request: it gets unready at once, goes on answering for a while, and stops.',
  access: 'write',
  schema: exactObject({ reason }),
  run({ parts, afterwards }) {
    afterwards(() => void parts.drain());
    return { draining: true };
  },
});
