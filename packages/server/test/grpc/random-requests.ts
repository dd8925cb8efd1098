import fc from 'fast-check';

/** Policies of many kinds: what they count by, how, and how strictly. */
export const POLICIES = `version: 1
keys:
  user: code
  customer: { header: x-api-key }
policies:
  api: { limits: [{ name: minute, limit: 20, window: 1m }, { name: hour, limit: 200, window: 1h }] }
  bucket: { key: user, limits: [{ name: burst, algorithm: token-bucket, capacity: 10, refillRate: 0.5 }] }
  login: { limits: [{ name: tries, limit: 5, window: 1m, blockDuration: 2m }] }
  shop.basket: { key: [user, address], limits: [{ name: quarter, limit: 9, window: 15m, algorithm: fixed-window }] }
  shop.search: { key: customer, cost: 2, limits: [{ name: second, limit: 7, window: 1s, algorithm: sliding-window-counter }] }
  all: { limits: [{ name: everybody, key: everyone, limit: 100, window: 1m, countRejected: true }, { name: client, limit: 9, window: 10s }] }
  trial: { limits: [{ name: day, limit: 4, window: { unit: day, timeZone: UTC } }], enforce: 0 }
`;

/** A request, and how much later it comes than the one before. */
export interface RandomRequest {
  readonly afterMs: number;
  readonly request: {
    readonly domain: string;
    readonly descriptors: readonly {
      readonly entries: readonly { readonly key: string; readonly value: string }[];
      /** In protobuf's JSON form, which has wrappers as plain values. */
      readonly hitsAddend?: number;
    }[];
    readonly hitsAddend?: number;
  };
}

const address = fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8:0:100::1', '2001:db8:0:1ff::2');
const name = fc.constantFrom('ann', 'bob', 'eve');

const domains: Readonly<Record<string, readonly string[]>> = {
  edge: ['api', 'bucket', 'login', 'shop.basket', 'all', 'trial'],
  'shop.': ['basket', 'search'],
};

function descriptorOf(policies: readonly string[] | undefined) {
  return fc
    .record({
      policy: policies ? fc.constantFrom(...policies) : fc.constant(undefined),
      address,
      user: name,
      customer: fc.option(name, { nil: undefined }),
      hitsAddend: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 6 }) },
      ),
    })
    .map(({ policy, address, user, customer, hitsAddend }) => {
      const entries = { policy, remote_address: address, user, 'x-api-key': customer };
      return {
        entries: Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }])),
        ...(hitsAddend !== undefined && { hitsAddend }),
      };
    });
}

const request = fc.constantFrom('edge', 'shop.', 'api', 'login', 'bucket').chain((domain) =>
  fc.record(
    {
      domain: fc.constant(domain),
      descriptors: fc.array(descriptorOf(domains[domain]), { minLength: 1, maxLength: 3 }),
      hitsAddend: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ['domain', 'descriptors'] },
  ),
);

const afterMs = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1000, max: 90_000 }));

/** Random requests, the same for the same seed. */
export function randomRequests(count: number, seed: number): RandomRequest[] {
  return fc.sample(fc.record({ afterMs, request }), { numRuns: count, seed });
}
