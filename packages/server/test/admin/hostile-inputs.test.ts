import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ADMIN_VERBS } from '../../src/admin/admin-verbs.js';
import { RunningAdmin } from './running-admin.js';

let admin: RunningAdmin;

beforeAll(async () => {
  admin = await RunningAdmin.start();
});

afterAll(() => admin.close());

const [NAMES, POLICIES] = [ADMIN_VERBS.map(({ name }) => name), ['api', 'login', 'search', 'all']];

const text = fc.oneof(
  fc.constantFrom('', 'acme', 'mallory', '203.0.113.7', '2001:db8::1', '::ffff:1.2.3.4', `sha256:${'0'.repeat(64)}`),
  fc.constantFrom('sha256:', '\u0000', '\ud800', '__proto__', 'x'.repeat(9000), '~n1', '["ip","::1"]', 'forever', '1h'),
  fc.string({ unit: 'binary' }),
);

const anything = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.constant(null),
  fc.boolean(),
  fc.array(text),
  fc.dictionary(text, text),
);

const key = fc.oneof(
  text,
  fc.integer(),
  fc.record({ user: text, client: text, customer: text, address: text }, { requiredKeys: [] }),
  anything,
);

/** Members of all verbs, most of them nearly right. */
const input = fc.record(
  {
    policy: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...POLICIES) }, { weight: 1, arbitrary: anything }),
    key,
    for: fc.oneof(fc.constantFrom('1h', 'forever', 1, '100y', -1), anything),
    reason: fc.oneof({ weight: 9, arbitrary: fc.constant('a test') }, { weight: 1, arbitrary: anything }),
    mode: fc.oneof(fc.constantFrom('on', 'shadow'), anything),
    limit: fc.oneof(fc.integer({ min: 1, max: 1000 }), anything),
    count: fc.oneof(fc.integer({ min: 1, max: 1000 }), anything),
    cursor: fc.oneof(
      text,
      text.map((one) => Buffer.from(JSON.stringify([1, one, 'admin'])).toString('base64url')),
    ),
    tier: text,
    customer: text,
    reveal: fc.oneof(fc.boolean(), anything),
    request: fc.oneof(
      fc.record({ method: text, path: text, headers: fc.dictionary(text, text), address: text }),
      anything,
    ),
  },
  { requiredKeys: ['policy', 'reason'] },
);

it('whatever an operator sends is answered or a mistake, never an error of the service', async () => {
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(fc.constantFrom(...NAMES), input, fc.boolean(), async (name, whole, isFitting) => {
    const { entries = {} } = Object(ADMIN_VERBS.find((verb) => verb.name === name)?.schema) as { entries?: object };
    const members = Object.entries(whole).filter(([member]) => !isFitting || member in entries);
    const { status } = await admin.post(name, Object.fromEntries(members));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect([200, 400, 404, 409]).toContain(status);
  });
  await fc.assert(property, { numRuns: 150 });
  expect(admin.reported).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(10);
  expect(statuses.get(400)).toBeGreaterThan(10);
});
