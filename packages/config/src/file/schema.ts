import {
  array,
  boolean,
  type InferOutput,
  literal,
  minLength,
  optional,
  picklist,
  pipe,
  record,
  strictObject,
  string,
  union,
} from 'valibot';
import { limit, limitWords, override } from './schema-limits.js';
import { duration, enforce, header, name, pattern, share, text, time, whole } from './schema-values.js';

/**
 * The structure of a policy file. `policy.schema.json` is made of it. A message is the rule that a value breaks, as it follows the
 * path: `must be text`.
 */

const MAPPING = (what: string) => `must be a mapping of ${what}`;
const named = <const S extends Parameters<typeof record>[1]>(value: S, what: string) =>
  record(name, value, MAPPING(what));

export const addresses = pipe(
  array(text("must be an address or a CIDR range like '10.0.0.0/8'"), 'must be a list of addresses and CIDR ranges'),
  minLength(1, 'must have at least one address or CIDR range'),
);

export const keyNames = union(
  [name, pipe(array(name, 'must be a list of names of keys'), minLength(1, 'must have at least one name of a key'))],
  'must be the name of a key, or a list of such names',
);

const KEY = 'must be ip, code or everyone, or a mapping such as { header: x-api-key } or { ip: { ipv6Subnet: 56 } }';
export const ip = strictObject({ ipv6Subnet: optional(whole(32, 128)) }, MAPPING('ipv6Subnet'));

export const key = union(
  [
    picklist(['ip', 'code', 'everyone'], KEY),
    strictObject(
      {
        header: optional(header),
        ip: optional(ip),
      },
      KEY,
    ),
  ],
  KEY,
);

/** A customer, whose name is not checked by `named`: it can be any text. */
export const customer = strictObject(
  {
    tier: optional(name),
    overrides: optional(named(override, 'overrides by the name of the limit')),
    block: optional(boolean('must be true or false')),
    reason: optional(text()),
    until: optional(time),
  },
  'must be a mapping such as { tier: pro }',
);

const COST =
  'must be a whole number of at least 0, or a mapping such as { header: x-cost, max: 100, trustedFrom: [10.0.0.0/8] }';
export const cost = union(
  [
    whole(0),
    strictObject(
      {
        from: optional(literal('code', 'must be code')),
        header: optional(header),
        min: optional(whole(0)),
        default: optional(whole(0)),
        max: whole(0),
        trustedFrom: optional(addresses),
      },
      COST,
    ),
  ],
  COST,
);

export const tier = strictObject(
  {
    from: optional(picklist(['customers', 'code'], 'must be customers or code')),
    header: optional(header),
    default: optional(name),
    trustedFrom: optional(addresses),
  },
  'must be a mapping such as { from: customers, default: free }',
);

export const slowDown = strictObject(
  { after: whole(0), by: duration, upTo: duration, waiting: optional(whole(1)) },
  'must be a mapping such as { after: 50, by: 100ms, upTo: 2s }',
);

export const guarantee = strictObject(
  { limit: whole(0), key: keyNames, total: whole(0), lend: optional(share) },
  'must be a mapping such as { limit: 20, key: customer, total: 80 }',
);

export const variant = strictObject(
  { share, ...limitWords },
  'must be a mapping such as { share: 50%, limit: 60, window: 1m }',
);

export const limitItem = strictObject(
  {
    name: optional(name),
    tier: optional(literal(true, 'must be true, or left out')),
    ...limitWords,
    variants: optional(named(variant, 'limits by the name of the variant')),
    key: optional(keyNames),
    cost: optional(cost),
    enforce: optional(enforce),
    quotaUnit: optional(name),
    tolerance: optional(share),
    slowDown: optional(slowDown),
    guarantee: optional(guarantee),
  },
  'must be a mapping such as { limit: 100, window: 1m }',
);

export const rolloutStep = strictObject(
  { from: optional(time), after: optional(duration), enforce: share },
  'must be a mapping such as { after: 1d, enforce: 5% }',
);

const PATHS = 'must be a path that begins with a slash, such as /v1/**, or a list of such paths';
const pathPattern = pattern(/^\//, 'must be a path that begins with a slash, such as /v1/**');

export const match = strictObject(
  {
    path: optional(
      union([pathPattern, pipe(array(pathPattern, PATHS), minLength(1, 'must have at least one path'))], PATHS),
    ),
    methods: optional(
      pipe(
        array(
          pattern(/^[!#$%&'*+.^_`|~0-9A-Z-]+$/, 'must be a method in capital letters, such as GET'),
          'must be a list of methods, such as [GET, POST]',
        ),
        minLength(1, 'must have at least one method'),
      ),
    ),
  },
  'must be a mapping such as { path: /v1/**, methods: [GET] }',
);

export const brake = strictObject(
  { refused: share, over: duration },
  'must be a mapping such as { refused: 5%, over: 5m }',
);

export const policy = strictObject(
  {
    match: optional(match),
    allowList: optional(addresses),
    denyList: optional(addresses),
    key: optional(keyNames),
    unknownCustomer: optional(picklist(['address', 'refuse'], 'must be address or refuse')),
    tier: optional(tier),
    limits: pipe(array(limitItem, 'must be a list of limits'), minLength(1, 'must have at least one limit')),
    cost: optional(cost),
    onStoreError: optional(picklist(['local', 'allow', 'deny'], 'must be local, allow or deny')),
    enforce: optional(enforce),
    rollout: optional(pipe(array(rolloutStep, 'must be a list of steps'), minLength(1, 'must have at least one step'))),
    brake: optional(brake),
  },
  'must be a mapping with limits',
);

const ENFORCEMENT = 'must be on, shadow or off';

/** The whole file. */
export const policyFile = strictObject(
  {
    version: literal(1, 'must be 1'),
    /** Tools of YAML 1.1 write on and off as true and false. */
    enforcement: optional(union([picklist(['on', 'shadow', 'off'], ENFORCEMENT), boolean(ENFORCEMENT)], ENFORCEMENT)),
    accept: optional(text('must be the revision that this file may replace, as text in quotes')),
    keys: optional(named(key, 'keys by their names')),
    tiers: optional(named(named(limit, 'limits by their names'), 'tiers by their names')),
    customers: optional(record(string(), customer, MAPPING('customers by the value of their key'))),
    policies: named(policy, 'policies by their names'),
  },
  'the file must be a mapping that begins with version: 1',
);

export type FileInput = InferOutput<typeof policyFile>;
export type KeyInput = InferOutput<typeof key>;
export type KeyNamesInput = InferOutput<typeof keyNames>;
export type LimitInput = InferOutput<typeof limit>;
export type OverrideInput = InferOutput<typeof override>;
export type CustomerInput = InferOutput<typeof customer>;
export type CostInput = InferOutput<typeof cost>;
export type TierInput = InferOutput<typeof tier>;
export type LimitItemInput = InferOutput<typeof limitItem>;
export type RolloutStepInput = InferOutput<typeof rolloutStep>;
export type PolicyInput = InferOutput<typeof policy>;
