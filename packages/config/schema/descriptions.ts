/** What editors show about a word of a limit. */
const LIMIT_WORDS = {
  algorithm: 'The algorithm. Default: sliding-window; fixed-window if the window is one of the calendar.',
  limit: 'Units per window, or slots of a concurrency limit: a whole number of at least 0.',
  window: 'The length of the window, such as 1m, or a calendar window, such as { unit: day, timeZone: Europe/Rome }.',
  buckets: 'Sub-windows of a sliding window: 1 to 1,000. Default: 20.',
  align: 'When a fixed window begins: first-request (default), or clock, at multiples of the window since 1970.',
  capacity: 'Units in a full bucket, which is the largest burst, or places in the queue of a leaky bucket.',
  refillRate: 'Units per second that come back to a token bucket. With refillInterval: units per interval.',
  refillInterval:
    'Lets refillRate units come back together at the end of each interval. Default: they come back continuously.',
  keepFor: 'How long a key is kept after its last use. Only with refillRate: 0. Default: 30d.',
  leakRate: 'Departures per second from a leaky bucket: above 0.',
  immediate: 'Places of a leaky bucket that leave without a delay: 0 (default) to capacity.',
  lease: 'How long a slot stays taken if its holder does not renew it: at least 1s.',
  countRejected: 'Whether refused requests spend, too: false (default), true, or always.',
  blockDuration:
    'How long a key stays refused after a refusal, such as 1h, or growing: { first: 1m, max: 1h }. Default: no block.',
};

const TRUSTED_FROM =
  'Addresses and CIDR ranges of the proxies that set this header. In requests from elsewhere it does not count.';

/** What editors show about each word, by the part of the file in which it stands. */
export const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  policyFile: {
    version: 'The version of the language: 1.',
    enforcement: 'on (default); shadow: count, and refuse nothing; off: do not even ask the store.',
    accept: 'The revision that this file may replace although the change is large.',
    keys: 'Names for what requests are counted by. address and everyone are there already.',
    tiers: 'The limits of each tier, by the name of the limit.',
    customers: 'Customers by the value of their key, or by sha256: and its hash in hexadecimal.',
    policies: 'The policies by their names: at least one.',
  },
  key: {
    header: 'The header field whose value is the key. Only its hash reaches the store.',
    ip: 'The address of the client. IPv6 counts by subnet.',
  },
  ip: { ipv6Subnet: 'The bits of an IPv6 address that name one client: 32 to 128. Default: 56.' },
  calendarWindow: {
    unit: 'hour, day, week (from Monday) or month.',
    timeZone: 'The name of an IANA time zone, such as UTC or Europe/Rome.',
  },
  blockDuration: {
    first: 'The length of the first block.',
    factor: 'How many times as long each further block is: 1.1 to 1,000. Default: 2.',
    max: 'The length of the longest block.',
    forget: 'How long a key has to stay unblocked until its next block is a first one again. Default: max.',
  },
  limit: LIMIT_WORDS,
  override: {
    ...LIMIT_WORDS,
    until: 'When the override ends, such as 2026-12-01T00:00:00Z. Default: it does not.',
    reason: 'Why the customer has it: for people who read the file.',
  },
  customer: {
    tier: 'The tier of the customer. Default: that of the policy.',
    overrides: "The customer's own limits, by the name of the limit. What one leaves out comes from the tier.",
    block: 'true refuses every request of the customer. Default: false.',
    reason: 'Why the customer is blocked: for people who read the file.',
    until: 'When the block ends, such as 2026-12-01T00:00:00Z. Default: it does not.',
  },
  cost: {
    from: 'code, if a function of the program returns the cost.',
    header: 'The header field that says the cost. It needs trustedFrom.',
    min: 'The least cost: a whole number of at least 0. Default: 1.',
    default: 'The cost of a request that says none. Default: 1, or min if that is more.',
    max: 'The largest cost. A larger one counts as this.',
    trustedFrom: TRUSTED_FROM,
  },
  tier: {
    from: 'customers: the section customers says the tier. code: a function of the program does.',
    header: 'The header field that says the tier. It needs trustedFrom.',
    default: 'The tier of everybody else.',
    trustedFrom: TRUSTED_FROM,
  },
  slowDown: {
    after: 'Units that are used without a delay.',
    by: 'The delay for each further unit.',
    upTo: 'The longest delay.',
    waiting: 'How many requests one process delays at the same time. Default: 100.',
  },
  guarantee: {
    limit: 'The units that are guaranteed to each tenant.',
    key: 'The names of the keys that are the tenant.',
    total: 'The units that are guaranteed to all tenants together.',
    lend: 'The part of what is guaranteed that others may use meanwhile. Default: 0.',
  },
  variant: { share: 'The part of all keys that has this limit. All shares add up to 100 %.', ...LIMIT_WORDS },
  limitItem: {
    name: 'The name of the limit. Default: made of the window or the algorithm.',
    tier: 'true: each tier has the numbers of this limit.',
    ...LIMIT_WORDS,
    variants: 'Two or more limits between which keys are divided, by their names.',
    key: 'The name of the key to count by, or a list of names. Default: that of the policy.',
    cost: 'What a request costs in this limit. Default: the cost of the policy.',
    enforce:
      "For which part of all keys the limit is enforced: 0 only counts, 1 (default) is for all. 'mark' refuses nothing, but tells.",
    quotaUnit: 'What one unit is. Default: requests.',
    tolerance: 'The part of the limit by which it may be exceeded. Default: 0.',
    slowDown: 'Delays requests before the limit refuses them. Default: no delay.',
    guarantee: 'Guarantees a part of the limit to each tenant. Default: none.',
  },
  match: {
    path: 'A pattern of paths, or a list: * stands for a part of one segment, ** for any number of segments.',
    methods: 'Methods in capital letters. Default: all.',
  },
  rolloutStep: {
    from: 'When the step begins, such as 2026-12-01T09:00:00Z.',
    after: 'How long after the step before it this step begins, such as 1d.',
    enforce: 'For which part of all keys the policy is enforced from then on.',
  },
  brake: {
    refused: 'The part of all keys that has to be refused for the brake to act: above 0.',
    over: 'In which time.',
  },
  policy: {
    match: 'Which requests the policy is for, where a program does not choose it by its name.',
    allowList: 'Addresses and CIDR ranges that are not counted.',
    denyList: 'Addresses and CIDR ranges that are refused with status 403.',
    key: 'The name of the key to count by, or a list of names that together are the key. Default: address.',
    unknownCustomer: 'Requests of nobody in customers: address (default) counts them by address, refuse refuses them.',
    tier: 'Where the tier of a request comes from.',
    limits: 'The limits of the policy: at least one. All are checked together.',
    cost: 'What a request costs. Default: 1.',
    onStoreError: 'If the store fails: local (default) counts in the process, allow allows, deny refuses.',
    enforce: 'For which part of all keys the policy is enforced. Default: 1, or what the rollout says.',
    rollout: 'Steps by which the policy is enforced for more and more keys.',
    brake: 'Ends the enforcement of a step that refuses too many keys.',
  },
};
