/** A mistake that a broken file is expected to have. */
export interface ExpectedMistake {
  readonly line: number;
  readonly column: number;
  /** The message, and the code after it in brackets. */
  readonly text: string;
}

/** A file that has to be refused. */
export interface BrokenFile {
  readonly title: string;
  readonly text: string;
  readonly mistakes: readonly ExpectedMistake[];
  /** Whether an editor sees it by the schema. It cannot see what two places say about each other. */
  readonly schemaSees: boolean;
}

/**
 * Makes a broken file. In the text, » stands before each place that has to be reported. The messages follow in the order of
 * the places.
 */
function broken(title: string, marked: string, messages: readonly string[], schemaSees = true): BrokenFile {
  const parts = marked.replace(/^\n/, '').split('»');
  const mistakes = messages.map((text, i) => {
    const before = parts
      .slice(0, i + 1)
      .join('')
      .split('\n');
    return { line: before.length, column: (before.at(-1) as string).length + 1, text };
  });
  if (parts.length !== messages.length + 1) throw new Error(`${title}: a mark for each message`);
  return { title, text: parts.join(''), mistakes, schemaSees };
}

/** A broken file that only a reader of the whole file sees. */
const entangled = (title: string, marked: string, messages: readonly string[]): BrokenFile =>
  broken(title, marked, messages, false);

/** Files that have to be refused, with every mistake at its line and column. */
export const BROKEN_FILES: readonly BrokenFile[] = [
  // The text.
  broken('an empty file', '»', ['the file must be a mapping that begins with version: 1, got null (SLUICE_OPTION)']),
  broken('a list', '»- version: 1\n', [
    'the file must be a mapping that begins with version: 1, got an array (SLUICE_OPTION)',
  ]),
  entangled('a tab as indentation', 'version: 1\npolicies:\n»\tapi: {}\n', [
    'the text is not YAML, nor JSON (Tabs are not allowed as indentation): use spaces instead of tabs at the beginning of the line (SLUICE_POLICY_FILE)',
  ]),
  entangled('a bracket that is not closed', 'version: 1\npolicies:\n  api: { limits: [{ limit: 1, window: 1m }\n»', [
    'the text is not YAML, nor JSON (Flow sequence in block collection must be sufficiently indented and end with a ]): begin this line in the same column as the others of its block (SLUICE_POLICY_FILE)',
  ]),
  entangled('JSON with a missing comma', '{\n  "version": »1\n  "policies": {}\n}\n', [
    'the text is not YAML, nor JSON (Implicit keys need to be on a single line): write the name and its colon in one line, and in brackets a comma before it (SLUICE_POLICY_FILE)',
  ]),
  entangled(
    'YAML 1.1',
    `
»%YAML 1.1
---
version: 1
policies: { api: { limits: [{ limit: 0100, window: 1:30 }] } }
`,
    [
      'the text must be YAML 1.2, because 010 is 8 and 1:30 is 90 in YAML 1.1: remove the line %YAML (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'two documents',
    `
version: 1
policies: { api: { limits: [{ limit: 1, window: 1m }] } }
»---
version: 1
`,
    [
      'the text is not YAML, nor JSON (Source contains multiple documents; please use YAML.parseAllDocuments()): remove the line --- and what follows, because a policy file is one document (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'an alias',
    `
version: 1
tiers:
  free: &free { minute: { limit: 60, window: 1m } }
  pro: »*free
policies: { api: { tier: { from: code, default: free }, limits: [{ name: minute, tier: true }] } }
`,
    ['tiers.pro must not be an alias: write the value here, too (SLUICE_POLICY_FILE)'],
  ),
  broken(
    'a tag',
    `
version: 1
policies: { api: { limits: [{ limit: »!money 100, window: 1m }] } }
`,
    [
      'the text is not YAML, nor JSON (Unresolved tag: !money): remove the tag, which begins with an exclamation mark (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'a name twice',
    `
version: 1
policies:
  api: { limits: [{ limit: 1, window: 1m }] }
  »api: { limits: [{ limit: 2, window: 1m }] }
`,
    ['policies.api stands here twice: remove one of the two (SLUICE_POLICY_FILE)'],
  ),
  broken(
    'names that every object has',
    `
version: 1
policies:
  »__proto__: { limits: [{ limit: 1, window: 1m }] }
  »constructor: { limits: [{ limit: 1, window: 1m }] }
  api: { limits: [{ limit: 1, window: 1m, »toString: 5 }] }
`,
    [
      'policies.__proto__ must have another name, because every object of JavaScript has this one (SLUICE_POLICY_FILE)',
      'policies.constructor must have another name, because every object of JavaScript has this one (SLUICE_POLICY_FILE)',
      'policies.api.limits[0].toString must have another name, because every object of JavaScript has this one (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'a list as a name',
    `
version: 1
policies:
  »? [a, b]
  : { limits: [{ limit: 1, window: 1m }] }
`,
    ['policies must have plain text as the names in it (SLUICE_POLICY_FILE)'],
  ),

  // The words of the whole file.
  broken('no version', '»policies: { api: { limits: [{ limit: 1, window: 1m }] } }\n', [
    'version is missing (SLUICE_OPTION)',
  ]),
  broken(
    'another version',
    `
version: »2
policies: { api: { limits: [{ limit: 1, window: 1m }] } }
`,
    ['version must be 1, got 2 (SLUICE_OPTION)'],
  ),
  broken(
    'an unknown enforcement',
    `
version: 1
enforcement: »enabled
policies: { api: { limits: [{ limit: 1, window: 1m }] } }
`,
    ['enforcement must be on, shadow or off, got "enabled" (SLUICE_OPTION)'],
  ),
  broken('no policies', '»version: 1\n', ['policies is missing (SLUICE_OPTION)']),
  broken('policies that are none', 'version: 1\n»policies: {}\n', [
    'policies must have at least one policy (SLUICE_OPTION)',
  ]),
  broken(
    'policies as a list',
    `
version: 1
policies:
  »- { limits: [{ limit: 1, window: 1m }] }
`,
    ['policies must be a mapping of policies by their names, got an array (SLUICE_OPTION)'],
  ),
  broken(
    'an empty section',
    `
version: 1
»tiers:
policies: { api: { limits: [{ limit: 1, window: 1m }] } }
`,
    ['tiers must be a mapping of tiers by their names, got null (SLUICE_OPTION)'],
  ),
  broken(
    'a misspelt section',
    `
version: 1
»polices: { api: { limits: [{ limit: 1, window: 1m }] } }
policies: { api: { limits: [{ limit: 1, window: 1m }] } }
`,
    ['polices is not an option: use policies, got an object (SLUICE_OPTION)'],
  ),
  broken(
    'a name that is not ASCII',
    `
version: 1
policies: { »"größe": { limits: [{ limit: 1, window: 1m }] } }
`,
    ['policies["größe"] must be 1 to 128 printable ASCII characters, got "größe" (SLUICE_OPTION)'],
  ),

  // Limits.
  broken(
    'the name of an option in another library',
    `
version: 1
policies:
  api:
    limits:
      - { limit: 100, »windowMs: 60000 }
`,
    ['policies.api.limits[0].windowMs is not an option: use window, got 60000 (SLUICE_OPTION)'],
  ),
  broken(
    'a limit without a window',
    `
version: 1
policies:
  api:
    limits:
      - »{ limit: 100 }
`,
    [
      'policies.api.limits[0].window is missing: the algorithm sliding-window needs it, for example window: 1m (SLUICE_OPTION)',
    ],
  ),
  broken(
    'text in place of a number, and a number below 0',
    `
version: 1
policies:
  api:
    limits:
      - { name: a, limit: »"100", window: 1m }
      - { name: b, limit: »-1, window: 1m }
`,
    [
      'policies.api.limits[0].limit must be a whole number of at least 0, got "100" (SLUICE_OPTION)',
      'policies.api.limits[1].limit must be a whole number of at least 0, got -1 (SLUICE_OPTION)',
    ],
  ),
  broken(
    'windows that are no durations',
    `
version: 1
policies:
  api:
    limits:
      - { name: a, limit: 1, window: »1 minute }
      - { name: b, limit: 1, window: »0 }
`,
    [
      `policies.api.limits[0].window must be a duration of at least 1 ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years: use '1m', got "1 minute" (SLUICE_OPTION)`,
      `policies.api.limits[1].window must be a duration of at least 1 ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years, got 0 (SLUICE_OPTION)`,
    ],
  ),
  entangled(
    'a window of no time',
    `
version: 1
policies: { api: { limits: [{ limit: 1, window: »0s }] } }
`,
    [
      `policies.api.limits[0].window must be a duration of at least 1 ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years, got "0s" (SLUICE_OPTION)`,
    ],
  ),
  broken(
    'a calendar window without its zone, and one of an unknown unit',
    `
version: 1
policies:
  api:
    limits:
      - { name: a, limit: 1, »window: { unit: day } }
      - { name: b, limit: 1, window: { unit: »year, timeZone: UTC } }
`,
    [
      'policies.api.limits[0].window.timeZone is missing (SLUICE_OPTION)',
      'policies.api.limits[1].window.unit must be hour, day, week or month, got "year" (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'an unknown time zone',
    `
version: 1
policies: { api: { limits: [{ limit: 1, window: { unit: day, timeZone: »Europe/Rom } }] } }
`,
    [
      `policies.api.limits[0].window.timeZone must be an IANA time zone name like 'Europe/Berlin', got "Europe/Rom" (SLUICE_OPTION)`,
    ],
  ),
  broken(
    'a calendar window for a sliding window',
    `
version: 1
policies:
  api:
    limits: [{ algorithm: sliding-window, limit: 1, window: »{ unit: day, timeZone: UTC } }]
`,
    [
      'policies.api.limits[0].window must be a duration such as 1m, because a calendar window needs algorithm: fixed-window, got an object (SLUICE_OPTION)',
    ],
    false,
  ),
  broken(
    'a misspelt algorithm',
    `
version: 1
policies:
  api:
    limits: [{ algorithm: »tokenbucket, capacity: 20, refillRate: 5 }]
`,
    [
      'policies.api.limits[0].algorithm must be one of sliding-window, sliding-window-log, sliding-window-counter, fixed-window, token-bucket, leaky-bucket, concurrency, unlimited, got "tokenbucket" (SLUICE_OPTION)',
    ],
  ),
  broken(
    'a bucket without its algorithm',
    `
version: 1
policies:
  api:
    limits: [{ »capacity: 20, »refillRate: 5 }]
`,
    [
      'policies.api.limits[0].capacity does not belong to the algorithm sliding-window: write algorithm: token-bucket, got 20 (SLUICE_OPTION)',
      'policies.api.limits[0].refillRate does not belong to the algorithm sliding-window: write algorithm: token-bucket, got 5 (SLUICE_OPTION)',
    ],
  ),
  broken(
    'a block after a queue',
    `
version: 1
policies:
  api:
    limits: [{ algorithm: leaky-bucket, capacity: 5, leakRate: 1, »blockDuration: 1m }]
`,
    [
      'policies.api.limits[0].blockDuration does not belong to the algorithm leaky-bucket: remove it, because it belongs to sliding-window, sliding-window-log, sliding-window-counter, fixed-window, token-bucket, got "1m" (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'a growing block whose longest is shorter than its first',
    `
version: 1
policies:
  api:
    limits: [{ limit: 5, window: 1m, blockDuration: { first: 1h, max: »1m } }]
`,
    ['policies.api.limits[0].blockDuration.max must be at least as long as first, got "1m" (SLUICE_OPTION)'],
  ),
  broken(
    'a lease that is too short',
    `
version: 1
policies:
  api:
    limits: [{ algorithm: concurrency, limit: 5, lease: »10ms }]
`,
    [
      `policies.api.limits[0].lease must be a duration of at least 1000 ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years, got "10ms" (SLUICE_OPTION)`,
    ],
    false,
  ),
  entangled(
    'a limit that cannot be counted exactly',
    `
version: 1
policies:
  api:
    limits: [{ algorithm: sliding-window-counter, limit: »100000000, window: 1d }]
`,
    [
      'policies.api.limits[0].limit must be at most 52124995, to be counted exactly over 86400000 ms, got 100000000 (SLUICE_OPTION)',
    ],
  ),
  broken(
    'a limit that says nothing',
    `
version: 1
policies:
  api:
    limits:
      - »{ name: minute }
`,
    [
      'policies.api.limits[0] must have limit and window, the words of another algorithm, tier: true, or variants (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'two limits of one name',
    `
version: 1
policies:
  api:
    limits:
      - { limit: 1, window: 1m }
      - »{ limit: 2, window: 1m }
`,
    [
      'policies.api.limits[1].name is "per-1m", as that of limits[0]: give one of the two another name (SLUICE_POLICY_FILE)',
    ],
  ),
  broken(
    'options that only code can give',
    `
version: 1
policies:
  api:
    »skip: health
    »maxWait: 2s
    limits:
      - { limit: 100, window: 1m, »headroom: { low: 0.2 }, »keyGenerator: ip }
`,
    [
      'policies.api.skip cannot stand in a file: it is a function, got "health" (SLUICE_UNSUPPORTED)',
      'policies.api.maxWait cannot stand in a file: give it in code: live.policy(name, { maxWait }), got "2s" (SLUICE_UNSUPPORTED)',
      'policies.api.limits[0].headroom cannot stand in a file: it needs a function that says how important a request is, got an object (SLUICE_UNSUPPORTED)',
      'policies.api.limits[0].keyGenerator is not an option: use key, got "ip" (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'a delay that begins after the limit',
    `
version: 1
policies:
  api:
    limits: [{ limit: 10, window: 1m, slowDown: { after: »10, by: 100ms, upTo: 1s } }]
`,
    ['policies.api.limits[0].slowDown.after must be a whole number from 0 to 9, got 10 (SLUICE_OPTION)'],
  ),
  broken(
    'a share that is none',
    `
version: 1
policies:
  api:
    limits: [{ limit: 10, window: 1m, enforce: »50, tolerance: »10 % }]
`,
    [
      `policies.api.limits[0].enforce must be a share: a number from 0 to 1, or a percentage such as 5%, got 50 (SLUICE_OPTION)`,
      'policies.api.limits[0].tolerance must be a share: a number from 0 to 1, or a percentage such as 5%, got "10 %" (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'a guarantee of more than the limit',
    `
version: 1
policies:
  api:
    limits: [{ limit: 10, window: 1m, key: everyone, guarantee: { limit: 2, key: address, total: »11 } }]
`,
    ['policies.api.limits[0].guarantee.total must be a whole number from 0 to 10, got 11 (SLUICE_OPTION)'],
  ),

  // Keys and who may be trusted.
  broken(
    'keys that are none',
    `
version: 1
keys:
  a: »cookie
  b: { »cookie: session }
  »c: {}
  d: { header: »x api key }
  e: { ip: { ipv6Subnet: »20 } }
policies: { api: { limits: [{ limit: 1, window: 1m }] } }
`,
    [
      'keys.a must be ip, code or everyone, or a mapping such as { header: x-api-key } or { ip: { ipv6Subnet: 56 } }, got "cookie" (SLUICE_OPTION)',
      'keys.b.cookie is not an option: the options are header, ip, got "session" (SLUICE_OPTION)',
      'keys.c must have either header or ip (SLUICE_OPTION)',
      'keys.d.header must be the name of a header field, such as x-api-key, got "x api key" (SLUICE_OPTION)',
      'keys.e.ip.ipv6Subnet must be a whole number from 32 to 128, got 20 (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'unknown keys',
    `
version: 1
keys: { customer: { header: x-api-key } }
policies:
  api:
    key: »custmer
    limits: [{ limit: 1, window: 1m, key: [address, »user] }]
`,
    [
      'policies.api.key must be the name of a key: use customer, got "custmer" (SLUICE_POLICY_FILE)',
      'policies.api.limits[0].key[1] must be the name of a key: define it in keys, or use one of address, everyone, customer, got "user" (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'a key that is built in',
    `
version: 1
keys: { »address: ip }
policies: { api: { limits: [{ limit: 1, window: 1m }] } }
`,
    ['keys.address is built in: give your key another name (SLUICE_OPTION)'],
  ),
  broken(
    'a tier and a cost that anybody could choose',
    `
version: 1
tiers: { free: { m: { limit: 1, window: 1m } } }
policies:
  api:
    »tier: { header: x-plan, default: free }
    »cost: { header: x-cost, max: 100 }
    limits: [{ name: m, tier: true }]
`,
    [
      'policies.api.tier.trustedFrom is missing: anybody can send the header x-plan, so list the addresses of the proxy that sets it, for example trustedFrom: [10.0.0.0/8] (SLUICE_UNTRUSTED_HEADER)',
      'policies.api.cost.trustedFrom is missing: anybody can send the header x-cost, so list the addresses of the proxy that sets it, for example trustedFrom: [10.0.0.0/8] (SLUICE_UNTRUSTED_HEADER)',
    ],
  ),
  entangled(
    'addresses that are none',
    `
version: 1
policies:
  api:
    allowList: [10.0.0.0/8, »10.0.0.0/33]
    cost: { header: x-cost, max: 100, trustedFrom: [»localhost, 127.0.0.1] }
    limits: [{ limit: 1, window: 1m }]
`,
    [
      `policies.api.allowList[1] must be an address or a CIDR range like '10.0.0.0/8', got "10.0.0.0/33" (SLUICE_OPTION)`,
      `policies.api.cost.trustedFrom[0] must be an address or a CIDR range like '10.0.0.0/8', got "localhost" (SLUICE_OPTION)`,
    ],
  ),
  broken(
    'a cost without a most, and one whose least is its most',
    `
version: 1
policies:
  api:
    »cost: { from: code }
    limits: [{ limit: 1, window: 1m, cost: { from: code, min: »10, max: 5 } }]
`,
    [
      'policies.api.cost.max is missing (SLUICE_OPTION)',
      'policies.api.limits[0].cost.min must be at most max, which is 5, got 10 (SLUICE_OPTION)',
    ],
  ),

  // Tiers and customers.
  entangled(
    'unknown tiers',
    `
version: 1
keys: { user: code }
tiers: { free: { m: { limit: 1, window: 1m } } }
customers:
  acme: { tier: »pro }
policies:
  api:
    key: user
    tier: { from: customers, default: »fre }
    limits: [{ name: m, tier: true }]
`,
    [
      'customers.acme.tier must be the name of a tier: define it in tiers, or use one of free, got "pro" (SLUICE_POLICY_FILE)',
      'policies.api.tier.default must be the name of a tier: use free, got "fre" (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'tiers and limits that do not fit',
    `
version: 1
tiers:
  »free: { minute: { limit: 1, window: 1m }, »month: { limit: 5, window: 30d } }
  pro: { day: { limit: 1, window: 1d }, minute: unlimited }
policies:
  api:
    tier: { from: code, default: free }
    limits: [{ name: minute, tier: true }, { name: day, tier: true }]
`,
    [
      'tiers.free.day is missing: the policy api takes this limit from the tier, so add it, or write day: unlimited (SLUICE_POLICY_FILE)',
      'tiers.free.month is in no policy: add { name: month, tier: true } to the limits of a policy, or remove it (SLUICE_POLICY_FILE)',
    ],
  ),
  broken(
    'a limit with a tier and numbers',
    `
version: 1
tiers: { free: { m: { limit: 1, window: 1m } } }
policies:
  api:
    tier: { from: code, default: free }
    limits: [{ name: m, tier: true, »limit: 10, window: 1m }]
`,
    [
      'policies.api.limits[0].limit must not be beside tier, which says the numbers already: remove one of the two (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'a limit with tiers in a policy without',
    `
version: 1
tiers: { free: { m: { limit: 1, window: 1m } } }
policies:
  api:
    limits: [{ name: m, »tier: true }]
`,
    [
      'policies.api.limits[0].tier needs the tier of a request: add tier: { from: customers, default: free } to the policy (SLUICE_POLICY_FILE)',
    ],
  ),
  broken(
    'a tier without a source, and one without a default',
    `
version: 1
tiers: { free: { m: { limit: 1, window: 1m } } }
policies:
  a: { »tier: { default: free }, limits: [{ name: m, tier: true }] }
  b: { »tier: { from: code }, limits: [{ name: m, tier: true }] }
`,
    [
      'policies.a.tier must have one of from: customers, from: code, and header (SLUICE_OPTION)',
      'policies.b.tier.default is missing: say which tier everybody else has (SLUICE_OPTION)',
    ],
  ),
  broken(
    'customers without an effect',
    `
version: 1
keys: { user: code }
tiers: { free: { m: { limit: 1, window: 1m } } }
customers:
  »a: {}
  b: { tier: free, »reason: best customer }
  c: { block: true, »untill: 2026-12-01T00:00:00Z }
  d: »pro
policies: { api: { key: user, tier: { from: customers, default: free }, limits: [{ name: m, tier: true }] } }
`,
    [
      'customers.a has no effect: add tier, overrides or block: true, or remove it (SLUICE_POLICY_FILE)',
      'customers.b.reason belongs to a block or to one of the overrides: add block: true, or move it there (SLUICE_POLICY_FILE)',
      'customers.c.untill is not an option: use until, got "2026-12-01T00:00:00Z" (SLUICE_OPTION)',
      'customers.d must be a mapping such as { tier: pro }, got "pro" (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'customers of whom nobody asks',
    `
version: 1
keys: { user: code }
tiers: { free: { m: { limit: 1, window: 1m } } }
»customers: { acme: { tier: free } }
policies: { api: { key: user, »unknownCustomer: refuse, tier: { from: code, default: free }, limits: [{ name: m, tier: true }] } }
`,
    [
      'customers have no effect, because no policy has tier: { from: customers }: add it to a policy, or remove the customers (SLUICE_POLICY_FILE)',
      'policies.api.unknownCustomer has no effect without tier: { from: customers }: add it, or remove this (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'a customer by value and by hash, and a hash that is none',
    `
version: 1
keys: { user: code }
tiers: { free: { m: { limit: 1, window: 1m } } }
customers:
  »acme: { tier: free }
  sha256:822B33AD87C148A0A20A5BA7CD5EBCAA68D36A18E7AAD165554903F52CA82757: { tier: free }
  »sha256:abc: { tier: free }
policies: { api: { key: user, tier: { from: customers, default: free }, limits: [{ name: m, tier: true }] } }
`,
    [
      'customers.acme is the customer sha256:822b33ad87c148a0a20a5ba7cd5ebcaa68d36a18e7aad165554903f52ca82757, too: remove one of the two (SLUICE_POLICY_FILE)',
      'customers["sha256:abc"] must have 64 hexadecimal digits after sha256:, as sha256sum prints them (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'overrides of nothing',
    `
version: 1
keys: { user: code }
tiers: { free: { minute: { limit: 1, window: 1m } } }
customers:
  a: { overrides: { »minutes: { limit: 5 } } }
  b: { overrides: { »minute: { until: 2026-12-01T00:00:00Z } } }
  c: { overrides: { minute: { limit: 5, until: »2026-02-30T00:00:00Z } } }
  d: { overrides: { minute: { »capacity: 5 } } }
  e: { »overrides: {} }
policies: { api: { key: user, tier: { from: customers, default: free }, limits: [{ name: minute, tier: true }] } }
`,
    [
      'customers.a.overrides.minutes must be the name of a limit whose policy asks for customers: use minute, got "minutes" (SLUICE_POLICY_FILE)',
      'customers.b.overrides.minute must say a number, such as limit: 1200 (SLUICE_OPTION)',
      'customers.c.overrides.minute.until must be a day and an hour of the calendar, such as 2026-12-01T00:00:00Z, got "2026-02-30T00:00:00Z" (SLUICE_OPTION)',
      'customers.d.overrides.minute.capacity does not belong to the algorithm sliding-window: remove it, because it belongs to token-bucket, leaky-bucket, got 5 (SLUICE_OPTION)',
      'customers.e.overrides must have at least one limit, or be left out (SLUICE_OPTION)',
    ],
  ),
  broken(
    'times without a zone',
    `
version: 1
keys: { user: code }
tiers: { free: { m: { limit: 1, window: 1m } } }
customers:
  a: { block: true, until: »2026-12-01 }
  b: { block: true, until: »2026-12-01T00:00:00 }
policies: { api: { key: user, tier: { from: customers, default: free }, limits: [{ name: m, tier: true }] } }
`,
    [
      'customers.a.until must be a time with its zone, such as 2026-12-01T00:00:00Z, got "2026-12-01" (SLUICE_OPTION)',
      'customers.b.until must be a time with its zone, such as 2026-12-01T00:00:00Z, got "2026-12-01T00:00:00" (SLUICE_OPTION)',
    ],
  ),
  entangled(
    'customers by addresses as nobody is counted',
    `
version: 1
keys: { network: { ip: { ipv6Subnet: 48 } } }
tiers: { free: { m: { limit: 1, window: 1m } } }
customers:
  192.0.2.7: { tier: free }
  »"::ffff:192.0.2.8": { tier: free }
  »"2001:db8::1": { tier: free }
  "2001:db8:1::/48": { tier: free }
policies: { api: { key: network, tier: { from: customers, default: free }, limits: [{ name: m, tier: true }] } }
`,
    [
      'customers["::ffff:192.0.2.8"] is counted as 192.0.2.8: write this as the name (SLUICE_POLICY_FILE)',
      'customers["2001:db8::1"] is counted as 2001:db8::/48: write this as the name (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'customers by a key that all requests share',
    `
version: 1
tiers: { free: { m: { limit: 1, window: 1m } } }
policies:
  api:
    key: »everyone
    tier: { from: customers, default: free }
    limits: [{ name: m, tier: true }]
`,
    [
      'policies.api.key must begin with the key that says who the customer is, because of tier: { from: customers }, and everyone is the same for everybody (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'an override that would mean two things',
    `
version: 1
keys: { user: code }
customers: { acme: { overrides: { »burst: { limit: 50 } } } }
policies:
  a: { key: user, tier: { from: customers }, limits: [{ name: burst, limit: 5, window: 1s }] }
  b: { key: user, tier: { from: customers }, limits: [{ name: burst, limit: 9, window: 1m }] }
`,
    [
      'customers.acme.overrides.burst would be {"limit":50,"window":"1s"} in one policy and {"limit":50,"window":"1m"} in another one: write the whole limit, with its algorithm (SLUICE_POLICY_FILE)',
    ],
  ),

  entangled(
    'overrides of limits that are the same for all',
    `
version: 1
keys: { user: code }
customers: { acme: { overrides: { »split: { limit: 50 }, »shared: { limit: 50 } } } }
policies:
  api:
    key: user
    tier: { from: customers }
    limits:
      - { name: shared, key: everyone, limit: 90, window: 1m, guarantee: { limit: 2, key: user, total: 40 } }
      - name: split
        variants:
          a: { share: 50%, limit: 5, window: 1m }
          b: { share: 50%, limit: 9, window: 1m }
`,
    [
      'customers.acme.overrides.split cannot be overridden, because it has variants and is the same for all: remove this (SLUICE_POLICY_FILE)',
      'customers.acme.overrides.shared cannot be overridden, because it has guarantee and is the same for all: remove this (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'options that need one limit for all',
    `
version: 1
tiers: { free: { »slots: { algorithm: concurrency, limit: 5, lease: 30s }, part: unlimited } }
policies:
  api:
    tier: { from: code, default: free }
    limits:
      - { name: slots, tier: true, slowDown: { after: 3, by: 1s, upTo: 3s } }
      - { name: part, tier: true, »guarantee: { limit: 2, key: address, total: 40 } }
      - name: split
        »guarantee: { limit: 2, key: address, total: 4 }
        variants:
          a: { share: 50%, limit: 5, window: 1m }
          b: { share: 50%, limit: 9, window: 1m }
`,
    [
      'tiers.free.slots cannot be a concurrency, because the policy api gives this limit slowDown: choose another algorithm (SLUICE_POLICY_FILE)',
      'policies.api.limits[1].guarantee needs a limit that is the same for all: write its numbers here, instead of tier or variants (SLUICE_OPTION)',
      'policies.api.limits[2].guarantee needs a limit that is the same for all: write its numbers here, instead of tier or variants (SLUICE_OPTION)',
    ],
  ),

  // Rollouts and variants.
  entangled(
    'steps out of order',
    `
version: 1
policies:
  api:
    limits: [{ limit: 1, window: 1m }]
    rollout:
      - { from: 2026-12-02T00:00:00Z, enforce: 5% }
      - { from: »2026-12-01T00:00:00Z, enforce: 50% }
      - { from: 2026-12-03T00:00:00Z, enforce: »10% }
`,
    [
      'policies.api.rollout[1].from must be later than the step before it, got "2026-12-01T00:00:00Z" (SLUICE_OPTION)',
      'policies.api.rollout[2].enforce must be at least 0.5, the share of the step before it, because a rollout only grows, got "10%" (SLUICE_OPTION)',
    ],
  ),
  broken(
    'a rollout that begins after nothing',
    `
version: 1
policies:
  a:
    limits: [{ limit: 1, window: 1m }]
    rollout: [»{ after: 1d, enforce: 0.05 }]
  b:
    limits: [{ limit: 1, window: 1m }]
    rollout: [{ from: 2026-12-02T00:00:00Z, »after: 1d, enforce: 0.05 }]
`,
    [
      'policies.a.rollout[0].from is missing: the first step needs a time, such as from: 2026-12-01T09:00:00Z (SLUICE_OPTION)',
      'policies.b.rollout[0].after must not be beside from: keep one of the two, got "1d" (SLUICE_OPTION)',
    ],
  ),
  broken(
    'a brake without a rollout, and one that never acts',
    `
version: 1
policies:
  a:
    limits: [{ limit: 1, window: 1m }]
    »brake: { refused: 5%, over: 5m }
  b:
    limits: [{ limit: 1, window: 1m }]
    rollout: [{ from: 2026-12-02T00:00:00Z, enforce: 1 }]
    »brake: { refused: 5%, over: 5m }
`,
    [
      'policies.a.brake needs a rollout, because it acts only while a step enforces for a part of the keys: add one, or remove the brake (SLUICE_POLICY_FILE)',
      'policies.b.brake never acts, because no step of the rollout enforces for a part of the keys: add a step such as enforce: 5% (SLUICE_POLICY_FILE)',
    ],
  ),
  entangled(
    'durations of nothing, of a part of a millisecond, and of more than a hundred years',
    `
version: 1
policies:
  a:
    limits: [{ limit: 10, window: »0s, slowDown: { after: 5, by: »0ms, upTo: »0.5ms } }]
  b:
    limits: [{ limit: 10, window: 1m }]
    rollout: [{ from: 2026-12-01T00:00:00Z, enforce: 5% }, { after: »0d, enforce: 50% }]
    brake: { refused: 5%, over: »36526d }
`,
    [
      'a.limits[0].window',
      'a.limits[0].slowDown.by',
      'a.limits[0].slowDown.upTo',
      'b.rollout[1].after',
      'b.brake.over',
    ].map(
      (path, i) =>
        `policies.${path} must be a duration of at least 1 ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years, got "${['0s', '0ms', '0.5ms', '0d', '36526d'][i]}" (SLUICE_OPTION)`,
    ),
  ),
  broken(
    'overrides of limits that have mistakes themselves',
    `
version: 1
keys: { user: code }
customers:
  acme: { overrides: { fine: { limit: 9 }, wrong: { limit: 9 } } }
  bolt: { tier: free, overrides: { minute: { limit: 9 } } }
tiers: { free: { minute: { limit: 3, window: »1min } } }
policies:
  api:
    key: user
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: fine, limit: 5, window: 1m }
      - { name: wrong, limit: »-1, window: 1m }
`,
    [
      `tiers.free.minute.window must be a duration of at least 1 ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years: use '1m', got "1min" (SLUICE_OPTION)`,
      'policies.api.limits[2].limit must be a whole number of at least 0, got -1 (SLUICE_OPTION)',
    ],
  ),
  broken(
    'a share beside a rollout',
    `
version: 1
policies:
  api:
    »enforce: 5%
    limits: [{ limit: 1, window: 1m }]
    rollout: [{ from: 2026-12-02T00:00:00Z, enforce: 1 }]
`,
    ['policies.api.enforce must not be beside rollout, whose steps say it: remove one of the two (SLUICE_OPTION)'],
  ),
  entangled(
    'variants whose shares do not add up',
    `
version: 1
policies:
  api:
    limits:
      - name: minute
        »variants:
          tight: { share: 50%, limit: 60, window: 1m }
          loose: { share: 30%, limit: 90, window: 1m }
`,
    ['policies.api.limits[0].variants must have shares that add up to 100%, and they add up to 80% (SLUICE_OPTION)'],
  ),
  broken(
    'a single variant, and variants without a name',
    `
version: 1
policies:
  a: { limits: [{ name: m, »variants: { one: { share: 100%, limit: 60, window: 1m } } }] }
  b: { limits: [»{ variants: { x: { share: 0.5, limit: 6, window: 1m }, y: { share: 0.5, limit: 9, window: 1m } } }] }
`,
    [
      'policies.a.limits[0].variants must have at least two variants (SLUICE_OPTION)',
      'policies.b.limits[0].name is missing: a limit with variants needs a name (SLUICE_OPTION)',
    ],
  ),
  broken(
    'a match that matches nothing',
    `
version: 1
policies:
  a: { »match: {}, limits: [{ limit: 1, window: 1m }] }
  b: { match: { path: »v1/**, methods: [»get] }, limits: [{ limit: 1, window: 1m }] }
`,
    [
      'policies.a.match must have path, methods, or both (SLUICE_OPTION)',
      'policies.b.match.path must be a path that begins with a slash, such as /v1/**, got "v1/**" (SLUICE_OPTION)',
      'policies.b.match.methods[0] must be a method in capital letters, such as GET, got "get" (SLUICE_OPTION)',
    ],
  ),
];
