import * as v from 'valibot';
import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { count } from './fields.js';

export const audit = adminVerb({
  name: 'audit',
  summary: 'Shows the last audit lines of this instance, the oldest first: at most 1,000 since it started.',
  access: 'read',
  schema: exactObject({ count: v.pipe(count(1000, 100), v.description('How many lines.')) }),
  run: ({ input, parts }) => ({ lines: parts.audit.last(input.count) }),
});
