import { isIP } from 'node:net';
import * as v from 'valibot';
import { exactObject, must, mustSecretly } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { policyName } from './fields.js';
import { namedPolicy } from './named-policy.js';

const LONGEST_VALUE = 8192;

const request = exactObject({
  method: v.exactOptional(
    v.pipe(v.string(must('be text')), v.regex(/^[A-Z][A-Z-]{0,31}$/, must('be a method in upper case, such as GET'))),
    'GET',
  ),
  path: v.exactOptional(
    v.pipe(v.string(must('be text')), v.startsWith('/', must('begin with a slash')), v.maxLength(LONGEST_VALUE)),
    '/',
  ),
  headers: v.exactOptional(
    v.record(
      v.pipe(v.string(), v.toLowerCase()),
      v.string(mustSecretly('be text')),
      must('be an object of header fields'),
    ),
    {},
  ),
  address: v.exactOptional(
    v.pipe(
      v.string(must('be an IP address')),
      v.check((text) => isIP(text) !== 0, must('be an IP address')),
    ),
    '127.0.0.1',
  ),
});

export const explain = adminVerb({
  name: 'explain',
  summary: 'Says in plain sentences what the policies do now.',
  access: 'read',
  schema: exactObject({
    policy: v.exactOptional(policyName),
    customer: v.exactOptional(
      v.pipe(
        v.string(mustSecretly('be text')),
        v.maxLength(LONGEST_VALUE),
        v.description('One customer, by the value of the key.'),
      ),
    ),
    request: v.exactOptional(
      v.pipe(request, v.description('One request. Only the policies that match it are explained.')),
    ),
  }),
  run({ input: { policy, customer, request: asked }, parts: { service } }) {
    if (policy !== undefined) namedPolicy(service, policy);
    const policies = service.live.explain({
      ...(policy !== undefined && { policy }),
      ...(customer !== undefined && { customer }),
      ...(asked && {
        request: { method: asked.method, url: asked.path, headers: asked.headers, ip: asked.address },
      }),
    });
    return { revision: service.live.revision, policies };
  },
});
