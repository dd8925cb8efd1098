// Which pages the site has, in which order, and at which address. Pages stay where they lie. A Markdown file of the repository is
// in one of these groups or in LEFT_OUT: a test and the build say which one is missing.

/**
 * A group of the sidebar. A page is the path of its file, or the path and the address, if addressOf would not find a good one.
 * `isOpen` shows the pages of a group, and not its title alone. The search shows pages of a group with `isLast` below all others, and pages with `isUnsearched` not at all.
 *
 * @type {readonly { title: string, isOpen?: boolean, isLast?: boolean, isUnsearched?: boolean, pages: readonly (string | readonly [string, string])[] }[]}
 */
export const GROUPS = [
  {
    title: 'Begin',
    isOpen: true,
    pages: [
      ['README.md', '/'],
      ['packages/core/docs/README.md', '/pages'],
      'packages/core/docs/first-limit.md',
      'packages/core/docs/keys-and-tiers.md',
      'packages/core/docs/choosing-a-mode.md',
      'packages/core/docs/algorithms.md',
      'packages/core/docs/behind-a-proxy.md',
      'packages/core/docs/testing.md',
      'packages/core/docs/rolling-out-a-limit.md',
      ['examples/README.md', '/examples/'],
    ],
  },
  {
    title: 'Frameworks',
    isOpen: true,
    pages: [
      'packages/express/README.md',
      ['packages/express/docs/store-of.md', '/packages/express/store-of'],
      'packages/fastify/README.md',
      ['packages/fastify/docs/routes-and-scopes.md', '/packages/fastify/routes-and-scopes'],
      ['packages/fastify/docs/options.md', '/packages/fastify/options'],
      ['packages/fastify/docs/recipes.md', '/packages/fastify/recipes'],
      ['packages/fastify/docs/testing.md', '/packages/fastify/testing'],
      'packages/nestjs/README.md',
      ['packages/nestjs/docs/module.md', '/packages/nestjs/module'],
      ['packages/nestjs/docs/recipes.md', '/packages/nestjs/recipes'],
      ['packages/nestjs/docs/load-shedding.md', '/packages/nestjs/load-shedding'],
      'packages/hono/README.md',
      ['packages/hono/docs/client-address.md', '/packages/hono/client-address'],
      ['packages/hono/docs/in-a-handler.md', '/packages/hono/in-a-handler'],
      ['packages/hono/docs/load-shedding.md', '/packages/hono/load-shedding'],
      'packages/core/docs/writing-an-adapter.md',
    ],
  },
  {
    title: 'Many instances',
    isOpen: true,
    pages: [
      'packages/core/docs/several-instances.md',
      'packages/core/docs/when-the-store-is-away.md',
      'packages/core/docs/several-regions.md',
      'packages/core/docs/stores.md',
      'packages/redis/README.md',
      ['packages/redis/docs/setting-up.md', '/packages/redis/setting-up'],
      ['packages/redis/docs/when-redis-fails.md', '/packages/redis/when-redis-fails'],
      ['packages/redis/docs/cluster.md', '/packages/redis/cluster'],
      ['packages/redis/docs/keys-and-calls.md', '/packages/redis/keys-and-calls'],
      'packages/postgres/README.md',
      ['packages/postgres/docs/setting-up.md', '/packages/postgres/setting-up'],
      ['packages/postgres/docs/when-postgresql-fails.md', '/packages/postgres/when-postgresql-fails'],
      ['packages/postgres/docs/statements.md', '/packages/postgres/statements'],
      'packages/core/docs/leasing.md',
      'packages/core/docs/sharding.md',
      'packages/core/docs/writing-a-store.md',
    ],
  },
  {
    title: 'What to protect',
    isOpen: true,
    pages: [
      'packages/core/docs/recipes.md',
      'packages/core/docs/protecting-a-login.md',
      'packages/core/docs/blocking-abusers.md',
      'packages/core/docs/guarantees.md',
      'packages/core/docs/overload.md',
      'packages/core/docs/waiting.md',
    ],
  },
  {
    title: 'Language models and clients',
    pages: [
      'packages/llm/docs/llm-budgets.md',
      'packages/llm/docs/ai-sdk.md',
      'packages/llm/docs/calls-and-prices.md',
      'packages/llm/README.md',
      ['packages/llm/docs/options.md', '/packages/llm/options'],
      ['packages/llm/docs/calling-a-provider.md', '/packages/llm/calling-a-provider'],
      'packages/client/README.md',
      ['packages/client/docs/limited-fetch.md', '/packages/client/limited-fetch'],
      ['packages/client/docs/concurrency.md', '/packages/client/concurrency'],
      ['packages/client/docs/own-limiter.md', '/packages/client/own-limiter'],
      ['packages/client/docs/undici.md', '/packages/client/undici'],
      ['packages/client/docs/decision-service.md', '/packages/client/decision-service'],
      ['packages/client/docs/reading-limits.md', '/packages/client/reading-limits'],
      'examples/llm-gateway/README.md',
      'examples/workers/README.md',
    ],
  },
  {
    title: 'In operation',
    pages: [
      'packages/core/docs/troubleshooting.md',
      ['packages/core/docs/security.md', '/secure'],
      'packages/cli/docs/finding-the-number.md',
      'packages/config/docs/changing-limits-safely.md',
      'packages/config/docs/policy-file.md',
      'packages/config/README.md',
      'packages/metrics/docs/watching-limits.md',
      'packages/metrics/README.md',
      ['packages/metrics/docs/exporting.md', '/packages/metrics/exporting'],
      ['packages/metrics/docs/all-metrics.md', '/packages/metrics/all-metrics'],
      ['packages/metrics/docs/alerts-and-dashboards.md', '/packages/metrics/alerts-and-dashboards'],
      'packages/cli/README.md',
      'packages/cli/docs/command-line.md',
      'packages/cli/docs/report.md',
      'packages/cli/docs/log-formats.md',
      'examples/observed-api/README.md',
      'examples/overloaded-api/README.md',
    ],
  },
  {
    title: 'Services in any language',
    pages: [
      'packages/server/docs/a-limiter-for-every-service.md',
      'packages/server/README.md',
      ['packages/server/docs/flags.md', '/packages/server/flags'],
      ['packages/server/docs/health-and-drain.md', '/packages/server/health-and-drain'],
      ['packages/server/docs/security.md', '/packages/server/security'],
      'packages/server/docs/running.md',
      'packages/server/docs/balancers.md',
      'packages/server/docs/decisions.md',
      'packages/server/docs/envoy.md',
      'packages/server/docs/administration.md',
      'packages/metrics/docs/watching-the-service.md',
      'examples/gateways/README.md',
    ],
  },
  {
    title: 'Coming from elsewhere',
    pages: [
      ['packages/core/docs/coming-from.md', '/coming-from/'],
      'packages/core/docs/coming-from/express-rate-limit.md',
      'packages/core/docs/coming-from/express-slow-down.md',
      'packages/core/docs/coming-from/fastify-rate-limit.md',
      'packages/core/docs/coming-from/nestjs-throttler.md',
      'packages/core/docs/coming-from/rate-limiter-flexible.md',
      'packages/core/docs/coming-from/rolling-rate-limiter.md',
      'packages/core/docs/coming-from/own-limiter.md',
      'packages/core/docs/coming-from/textbook.md',
      'packages/core/docs/coming-from/upstash.md',
      'packages/core/docs/coming-from/limiter.md',
      'packages/core/docs/coming-from/bottleneck.md',
      'packages/core/docs/coming-from/p-queue.md',
      'packages/core/docs/coming-from/http-clients.md',
      'packages/core/docs/coming-from/bucket4j.md',
      'packages/core/docs/coming-from/nginx.md',
      'packages/core/docs/coming-from/kong.md',
      'packages/core/docs/coming-from/envoy.md',
      'packages/core/docs/coming-from/fail2ban.md',
      'packages/core/docs/comparison.md',
      'packages/cli/docs/converting.md',
      'packages/core/docs/renamed.md',
      'packages/bench/README.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'packages/core/docs/options.md',
      'packages/core/docs/answers.md',
      'packages/core/docs/http.md',
      'packages/core/docs/returns.md',
      ['packages/core/docs/errors.md', '/errors/'],
      'packages/core/docs/compatibility.md',
      'packages/core/README.md',
      'packages/conformance/README.md',
      ['packages/conformance/vectors/README.md', '/vectors'],
      '.github/SECURITY.md',
    ],
  },
  {
    title: 'Working on Sluice',
    isLast: true,
    pages: [
      '.github/CONTRIBUTING.md',
      '.github/CODE_OF_CONDUCT.md',
      'packages/core/docs/architecture.md',
      ['packages/simulation/README.md', '/simulation/'],
      ['packages/simulation/known-defects/README.md', '/simulation/known-defects'],
      ['.config/publish/README.md', '/release'],
      ['.config/site/README.md', '/site'],
      ['packages/bench/docs/README.md', '/bench/'],
      'packages/bench/docs/measuring.md',
      'packages/bench/docs/in-process.md',
      'packages/bench/docs/redis.md',
      'packages/bench/docs/http.md',
      'packages/bench/docs/v8.md',
      ['packages/core/docs/proofs.md', '/packages/core/proofs'],
      ['packages/redis/docs/proofs.md', '/packages/redis/proofs'],
      ['packages/postgres/docs/tests.md', '/packages/postgres/tests'],
      ['packages/client/docs/figures.md', '/packages/client/figures'],
      ['packages/llm/docs/proofs.md', '/packages/llm/proofs'],
      ['packages/metrics/docs/figures.md', '/packages/metrics/figures'],
      ['packages/config/docs/figures.md', '/packages/config/figures'],
      ['packages/cli/docs/proofs.md', '/packages/cli/proofs'],
      ['packages/server/docs/figures.md', '/packages/server/figures'],
    ],
  },
  {
    title: 'Results of the bench',
    isUnsearched: true,
    pages: [['packages/bench/results/bench.md', '/bench/results'], 'packages/bench/results/overload.md'],
  },
  {
    title: 'Why it is so',
    isLast: true,
    pages: [
      ['packages/core/docs/why/README.md', '/why/'],
      'packages/core/docs/why/one-arithmetic.md',
      'packages/core/docs/why/windows.md',
      'packages/core/docs/why/buckets.md',
      'packages/core/docs/why/verdicts.md',
      'packages/core/docs/why/margins-and-guarantees.md',
      'packages/core/docs/why/keys-and-names.md',
      'packages/core/docs/why/operations.md',
      'packages/core/docs/why/waiting.md',
      'packages/core/docs/why/blocks.md',
      'packages/core/docs/why/memory-store.md',
      'packages/core/docs/why/remote-stores.md',
      'packages/core/docs/why/calls-to-redis.md',
      'packages/core/docs/why/several-servers.md',
      'packages/core/docs/why/stores-in-front.md',
      'packages/core/docs/why/other-databases.md',
      'packages/core/docs/why/http-steps.md',
      'packages/core/docs/why/ends-of-requests.md',
      'packages/core/docs/why/fields-and-refusals.md',
      'packages/core/docs/why/frameworks.md',
      'packages/core/docs/why/load-shedding.md',
      'packages/core/docs/why/outgoing-calls.md',
      'packages/core/docs/why/budgets-of-models.md',
      'packages/core/docs/why/policy-files.md',
      'packages/core/docs/why/metrics.md',
      'packages/core/docs/why/decision-service.md',
    ],
  },
];

/** Markdown files that are no pages, each with the reason. */
export const LEFT_OUT = {
  '.github/PULL_REQUEST_TEMPLATE.md': 'a form',
  'packages/simulation/failed-tapes/README.md': 'says what a folder is for',
};

/** The address of the page that a file becomes, unless its group states another. */
export function addressOf(file) {
  const path = file
    .replace(/^packages\/bench\/(?:docs|results)\//, 'bench/')
    .replace(/^(?:\.github|packages\/\w+\/docs)\//, '')
    .replace(/(?:\/README)?\.md$/, '');
  return `/${path.toLowerCase()}`;
}

/** Every page of the site: its file, its address and its group. */
export const PAGES = GROUPS.flatMap((group) =>
  group.pages.map((page) => {
    const [file, address = addressOf(file)] = [page].flat();
    return { file, address, group };
  }),
);
