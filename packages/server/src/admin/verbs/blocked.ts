import * as v from 'valibot';
import { exactObject, must } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { shownText } from '../keys/shown-key.js';
import { count, policyName } from './fields.js';
import { namedPolicy } from './named-policy.js';
import { shownBlock } from './shown-block.js';

export const blocked = adminVerb({
  name: 'blocked',
  summary: 'Lists who is blocked by a policy, in the order in which the blocks end.',
  access: 'read',
  schema: exactObject({
    policy: policyName,
    limit: v.pipe(count(1000, 100), v.description('The most entries of a page.')),
    cursor: v.exactOptional(
      v.pipe(v.string(must('be the cursor of the page before')), v.description('The cursor of the page before.')),
    ),
  }),
  async run({ input: { policy, limit, cursor }, parts }) {
    const { handle, rule } = namedPolicy(parts.service, policy);
    const page = await handle.blocked({ limit, ...(cursor !== undefined && { cursor }) });
    return {
      policy,
      blocked: page.entries.map(({ key, ...entry }) => ({ key: shownText(key, rule.key), ...shownBlock(entry) })),
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    };
  },
});
