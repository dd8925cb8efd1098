/** The first lines of every policy file: editors that know the schema check the file while it is written. */
const HEAD = `# yaml-language-server: $schema=./node_modules/@sluice/config/policy.schema.json
#
# Who may send how many requests. After each change:
#   npx --no-install sluice validate    shows every mistake with its line
#   npx --no-install sluice explain     says in sentences what the file does
version: 1

# on: limits refuse. shadow: requests are counted, and none is refused. off: nothing is counted.
# Begin with shadow, look at your metrics, then write on.
enforcement: shadow
`;

const BASIC = `${HEAD}
policies:
  # Give this name to the middleware: rateLimit(live.policy('api'))
  api:
    # Without a key, requests count by the address of the client.
    limits:
      # At most 100 requests in any minute, wherever the minute begins.
      - { name: minute, limit: 100, window: 1m }
      # A count that begins anew each day, as people expect of a quota.
      - { name: day, algorithm: fixed-window, limit: 10000, window: { unit: day, timeZone: UTC } }

  # A stricter policy for a route that is attacked more. Write your path here: sluice replay asks it about these requests only.
  login:
    match: { path: /login, methods: [POST] }
    limits:
      # A refused address has to wait longer each time: 1 minute, 2, 4, up to an hour.
      - { name: tries, limit: 5, window: 15m, blockDuration: { first: 1m, max: 1h } }
`;

const TIERS = `${HEAD}
keys:
  # Requests count by this header field. Counters have only a hash of its value.
  customer: { header: x-api-key }

# What each plan may use. Every tier has the same limits, with its own numbers.
tiers:
  free:
    minute: { limit: 60, window: 1m }
    day: { algorithm: fixed-window, limit: 1000, window: { unit: day, timeZone: UTC } }
  pro:
    minute: { limit: 600, window: 1m }
    day: { algorithm: fixed-window, limit: 100000, window: { unit: day, timeZone: UTC } }

# Customers by the value of their key. If keys are secret, write sha256: and the hash instead:
#   printf %s "$KEY" | sha256sum
customers:
  acme:
    tier: pro
    # Limits of their own end by themselves.
    overrides:
      minute: { limit: 1200, until: 2030-01-01T00:00:00Z, reason: launch week }
  mallory: { block: true, reason: scraping, until: 2030-01-01T00:00:00Z }

policies:
  # Give this name to the middleware: rateLimit(live.policy('api'))
  api:
    key: customer
    # Customers have the tier of the list above, everybody else has the default.
    tier: { from: customers, default: free }
    # A key that nobody listed counts by address, so that inventing keys gives no new quota. Or: refuse (401).
    unknownCustomer: address
    limits:
      - { name: minute, tier: true }
      - { name: day, tier: true }
`;

const LAYERS = `${HEAD}
keys:
  # Your code says who the user is: policies({ source, store, keys: { user: (req) => req.user?.id } })
  user: code

policies:
  # All requests together, each user, and one endpoint. A request has to fit all limits of its policy,
  # and is counted by all of them or by none.
  api:
    key: user
    limits:
      # What the service behind can carry.
      - { name: global, key: everyone, limit: 5000, window: 1s }
      # What one user may take of it: bursts of 50 requests, then 10 a second.
      - { name: user, algorithm: token-bucket, capacity: 50, refillRate: 10 }

  # Give these names to the routes: rateLimit(live.policy('search'))
  search:
    key: user
    limits:
      - { name: global, key: everyone, limit: 200, window: 1s }
      - { name: user, limit: 30, window: 1m }
      # At most two searches of one user at the same time.
      - { name: running, algorithm: concurrency, limit: 2, lease: 30s }
`;

/** Starter files by the names that `sluice init --template` knows. */
export const TEMPLATES = { basic: BASIC, tiers: TIERS, layers: LAYERS } as const;

export type Template = keyof typeof TEMPLATES;
