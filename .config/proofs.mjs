import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Proof What takes longer to show than CI may take. CI has a reduced form of each.
 * @property {string} shows - for those who choose one.
 * @property {string} command - for the shell, at the root of the repository.
 * @property {Readonly<Record<string, string>>} [env] - what is already set in the environment is left as it is.
 * @property {Readonly<Record<string, string>>} [options] - what may follow its name, each with the value that it takes: they are passed on to the command.
 * @property {true} [isFollowed] - its figures are printed as they come, since it takes hours.
 * @property {number} [times] - how often it is run.
 * @property {RegExp} figures - finds the figures in the output.
 */

const jest = (...patterns) => `npx jest ${patterns.join(' ')}`;
const RACES = ['race', 'leasing', 'sharding-bounds'].map((name) => `packages/redis/test/${name}`);
/** Tests of what shares its code with others that CI tries. */
const LEFT_TO_PROOF = JSON.parse(readFileSync(new URL('left-to-proof.json', import.meta.url), 'utf8'));
const JEST = /^Tests: +(.+)$/gm;

/** @type {Readonly<Record<string, Proof>>} */
export const PROOFS = {
  properties: {
    shows: 'no algorithm admits more than its bound, whatever is asked and when',
    command: jest('--selectProjects', 'sluice', '--testTimeout', '3600000', '--', 'packages/core/test/properties'),
    env: { SLUICE_RUNS: '1000' },
    figures: JEST,
  },
  converting: {
    shows: 'any configuration of nginx, Kong or ratelimit becomes a valid policy file, whatever its names are',
    command: jest('--selectProjects', 'sluice', '--', 'packages/cli/test/from/hostile'),
    env: { SLUICE_RUNS: '1000' },
    figures: JEST,
  },
  headers: {
    shows: 'who obeys the header fields is never refused, on every framework',
    command: jest('--selectProjects', 'sluice', '--', 'obeying-client.test'),
    env: { SLUICE_RUNS: '1000' },
    figures: JEST,
  },
  hosts: {
    shows: 'a client that learns from answers meets no refusal in 10,000 requests, on every framework',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/client/test/every-host'),
    env: { SLUICE_CLIENT: 'full' },
    figures: /^client on (.+)$/gm,
  },
  shedding: {
    shows:
      'a simulated server at three times its load answers 85 % of what is possible, and critical requests first; other shedders beside it',
    command: jest(
      '-i',
      '--selectProjects',
      'sluice',
      '--',
      "'packages/overload/test/(every-load|overload|trials|hostile-loads|tenants)'",
    ),
    env: { SLUICE_SHEDDING: 'full' },
    figures: /^(shedding: .+|Tests: .+)$/gm,
  },
  simulation: {
    shows:
      'fleets of processes in virtual time keep every promise of the documentation, but for listed defects, whatever fails',
    // It goes on where it was stopped. Without its file of pieces, it begins anew.
    command:
      'npm run --silent simulate -- --events 100_000_000 --workers 2 --shrink-seconds 300 --pieces packages/simulation/pieces.json',
    figures: /^simulation: (.+)$/gm,
  },
  site: {
    shows:
      'every page of the built site in Chromium: no error, no request to elsewhere, nothing too wide, nothing that axe finds serious; and the playground does what it has to do',
    command: 'npm run --silent docs:build && npm run --silent docs:check',
    figures: /^(\d+ pages of the site: .+|The playground of the site .+)$/gm,
  },
  playground: {
    shows: 'the core decides in a browser as in Node, with the same fields, for 1,000 random inputs',
    command: jest('--selectProjects', 'sluice', '--', '.config/site/playground/test/same-as-node'),
    env: { SLUICE_RUNS: '1000' },
    figures: JEST,
  },
  differential: {
    shows: 'Redis decides as memory does, to the last bit',
    command: jest('--selectProjects', 'sluice', '--', 'packages/redis/test/differential'),
    env: { SLUICE_RUNS: '3000' },
    figures: JEST,
  },
  suites: {
    shows:
      'the shared suites over the pairs of hosts, stores and versions that CI leaves out; races over each client of Redis; 2,000 reloads keep nothing; a full Redis does all or nothing, from five seeds',
    command: jest(
      "'packages/redis/test/(cluster|slot-groups|clients|faults/(node-redis|failover-bounds))'",
      "'packages/(express|fastify|fetch|hono|koa)/test/adapter-suite'",
      "'packages/express/test/textbook'",
      "'packages/nestjs/test/(adapter-suite|load-shedding|obeying-client|textbook)'",
      "'packages/config/test/live/reloads-memory'",
      "'packages/core/test/(limiter/replaced-policies-memory|stores/memory/memory-store)'",
      "'packages/(distributed|remote)/test/(leased|compare-and-swap)/(store-suite|documented-backend)'",
      "'packages/simulation/test/redis/full-redis'",
      "'packages/redis/test/(redis-store|remote|sharding|store-suite-of-forms)'",
      "'packages/bench/test/sections'",
      "'packages/postgres/test/limiter-suites'",
      ...LEFT_TO_PROOF.map((path) => `'${path}'`),
    ),
    env: { SLUICE_SUITES: 'full' },
    figures: JEST,
  },
  stores: {
    shows:
      'over every store and every client of Redis, eight processes that ask at once are admitted exactly the limit, under each algorithm, 200 random scenes are decided as in memory, and a server that is frozen, killed and restarted makes no answer late',
    command: jest(
      '-i',
      '--selectProjects',
      'sluice',
      '--',
      "'packages/redis/test/(race|clients/(race|differential))'",
      "'packages/(postgres|sqlite|cluster|cloudflare)/test/(race|[a-z-]+-store.test)'",
      "'packages/test-kit/test/outages'",
      "'examples/mariadb-store'",
    ),
    env: { SLUICE_SUITES: 'full' },
    figures: /^(outages: .+|Tests: .+)$/gm,
  },
  versions: {
    shows:
      'the stores of the last form of states come from their commit, byte for byte, as do states of each form; those of today read them all, and share a server with the last',
    command: [
      'npm run --silent versions -w @sluice/test-kit -- --check',
      jest('-i', '--selectProjects', 'sluice', '--', "'packages/(redis|postgres)/test/versions'"),
    ].join(' && '),
    figures: /^(versions: .+|Tests: .+)$/gm,
  },
  guarantees: {
    shows: 'adversaries never pass the bound of a shared limit, and break no guarantee',
    command: jest(
      '--selectProjects',
      'sluice',
      '--testTimeout',
      '3600000',
      '--',
      'guaranteed-parts.test',
      'redis/test/guarantees',
    ),
    env: { SLUICE_RUNS: '100' },
    figures: /^guarantees: (.+)$/gm,
  },
  races: {
    shows: 'processes that ask at once, and are frozen and killed, are never admitted above the bound',
    command: jest('-i', '--selectProjects', 'sluice', '--', ...RACES),
    env: { SLUICE_SUITES: 'full' },
    times: 3,
    figures: JEST,
  },
  lines: {
    shows:
      'eight processes with a line each do 4,000 jobs at the rate of one limit, and ask little more than once for each',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/redis/test/lines'),
    env: { SLUICE_LINES: 'full' },
    figures: /^lines: (.+)$/gm,
  },
  edge: {
    shows:
      'in workerd, Deno and Bun, the suites of fetch, Hono and stores pass, a Worker answers as on Node, and the recipes limit; in workerd, the store of Durable Objects passes its suite and races, and bears objects that hang, end and restart',
    command: 'node .config/edge/prove.mjs',
    figures: /^edge: (.+)$/gm,
  },
  frameworks: {
    shows:
      'the recipes limit in Next.js, SvelteKit, React Router, h3 and Nitro themselves, and leave all that they do not refuse as it is',
    command: 'npm run --silent bundle && node .config/frameworks/prove.mjs',
    figures: /^frameworks: (.+)$/gm,
  },
  faults: {
    shows: 'no fault of a server, a network or a clock makes the limiter the outage',
    command: jest('--selectProjects', "'real time'"),
    times: 3,
    figures: JEST,
  },
  workers: {
    shows: 'workers of several processes stay within the limit of an upstream, and stop together after its 429',
    command: jest('--selectProjects', 'sluice', '--', 'examples/workers'),
    env: { SLUICE_WORKERS: 'full' },
    times: 3,
    figures: /^workers: (.*)$/gm,
  },
  soak: {
    shows:
      'servers of Express, Fastify and the decision service over two Redis servers that fail at random: no window above the bound, and nothing that grows',
    command: 'npm run --silent soak -w @sluice/soak --',
    options: { '--for': 'duration', '--rate': 'requests a second', '--seed': 'number' },
    isFollowed: true,
    figures: /^soak: (.+)$/gm,
  },
  sdks: {
    shows:
      'the official packages of Google, AWS, Mistral and OpenRouter read answers, streams and refusals of a gateway, and each call is charged what the provider bills',
    command: 'npx tsc -b && node .config/sdks/prove.mjs',
    figures: /^sdks: (.+)$/gm,
  },
  streams: {
    shows:
      'however real clients of language models end a stream, it is settled once and nothing stays held; a call that fails is charged by whether it was sent; passing a chunk on costs less than 20 µs more',
    command: jest('-i', '--selectProjects', 'sluice', '--', "'packages/llm/test/(meter|relay|sdks|hosts|failures)/'"),
    env: { SLUICE_RUNS: '100', SLUICE_STREAMS: 'full' },
    figures: /^(streams: .+|Tests: .+)$/gm,
  },
  budgets: {
    shows:
      'no adversary passes the stated bound of a budget, four processes over Redis share it exactly, and providers bill three processes no more while Redis is frozen, cold or busy and processes are killed',
    command: jest(
      '-i',
      '--selectProjects',
      'sluice',
      '--testTimeout',
      '600000',
      '--',
      "'packages/llm/test/(plan|money|over-redis|redis|spend)/'",
    ),
    env: { SLUICE_RUNS: '100' },
    figures: /^(budgets: .+|Tests: .+)$/gm,
  },
  providers: {
    shows:
      'eight processes stay below the true limits of a provider for five minutes; what it refuses gives tokens and money back, and what is aborted does not',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/llm/test/fetch/'),
    env: { SLUICE_RUNS: '1000', SLUICE_PROVIDERS: 'full' },
    figures: /^(providers: .+|Tests: .+)$/gm,
  },
  estimates: {
    shows: 'the estimate of a prompt of 200 KB takes less than 5 ms, whatever its text',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/llm/test/call/estimate-text'),
    env: { SLUICE_ESTIMATES: 'full' },
    figures: /^(estimates: .+|Tests: .+)$/gm,
  },
  client: {
    shows:
      'clients stay below the limits of servers, alone and in eight processes, stop together when a server says so, and find its concurrency',
    command: jest(
      '-i',
      '--selectProjects',
      'sluice',
      '--testTimeout',
      '3600000',
      '--',
      "'packages/client/test/(sole-client|trial|retries|processes|adaptive/)'",
    ),
    env: { SLUICE_CLIENT: 'full' },
    figures: /^client: (.+)$/gm,
  },
  gateways: {
    shows:
      'real nginx, HAProxy and Caddy let exactly the limit of three instances through, refuse as Express does, answer in time without the service, and let nothing pass that a client makes up',
    command: jest('-i', '--selectProjects', 'sluice', '--testTimeout', '600000', '--', 'examples/gateways'),
    env: { SLUICE_GATEWAYS: 'full' },
    figures: /^(gateways: .+|Tests: .+)$/gm,
  },
  observe: {
    shows:
      'a real Prometheus counts exactly what clients saw, has data for every panel and rule, and sends alerts within 10 s of a frozen Redis',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/metrics/test/real'),
    env: { SLUICE_OBSERVE: 'full' },
    figures: /^observe: (.+)$/gm,
  },
  metrics: {
    shows: 'a million made-up requests add no series, counts are exact, and a scrape of 1,000 policies is quick',
    command: [
      'npx tsc -b && node packages/bench/measure/metrics.mjs',
      jest('-i', '--selectProjects', 'sluice', '--', "'packages/metrics/test/(hostile|exact|space-saving|cluster)'"),
    ].join(' && '),
    env: { SLUICE_METRICS: 'full', SLUICE_RUNS: '5000' },
    figures: /^(metrics: .+|Tests: .+)$/gm,
  },
  files: {
    shows: '100,000 customers are read within a second, and hostile or damaged policy files are refused within one',
    command: [
      'npx tsc -b && node packages/bench/measure/policy-files.mjs',
      jest('-i', '--selectProjects', 'sluice', '--testTimeout', '3600000', '--', 'packages/config/test/file'),
    ].join(' && '),
    env: { SLUICE_RUNS: '1000' },
    figures: /^(policy files: .+|Tests: .+)$/gm,
  },
  explain: {
    shows: 'every number that explain prints is what the limiter does, and diff says what is forgotten',
    command: jest('-i', '--selectProjects', 'sluice', '--', "'packages/config/test/(explain|diff)'"),
    env: { SLUICE_RUNS: '1000' },
    figures: JEST,
  },
  cli: {
    shows: 'Ctrl-C ends the command line within 200 ms, whatever it is doing',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/cli/test/main.test'),
    env: { SLUICE_CLI: 'full' },
    figures: /^(cli: .+|Tests: .+)$/gm,
  },
  replay: {
    shows:
      'a replay refuses what a live application refused, and takes 10 million lines of a million keys at 150,000 lines a second within 300 MB',
    command: jest('-i', '--selectProjects', 'sluice', '--', "'packages/cli/test/replay/(live-application|speed)'"),
    env: { SLUICE_REPLAY: 'full' },
    figures: /^(replay: .+|Tests: .+)$/gm,
  },
  rls: {
    shows:
      'gRPC, POST /json and limiters in a program decide the same about 10,000 random requests, whoever the client is',
    command: jest('-i', '--selectProjects', 'sluice', '--', "'packages/server/test/grpc/(agreement|four-clients)'"),
    env: { SLUICE_RLS: 'full' },
    figures: /^(rls: .+|Tests: .+)$/gm,
  },
  reloads: {
    shows:
      'a policy file that changes 1,000 times under load never admits more than the larger limit, and no decision mixes two',
    command: jest(
      '-i',
      '--selectProjects',
      'sluice',
      '--',
      'packages/config/test/live/reloads-under-load',
      "'packages/(core|redis|postgres)/test/(limiter/)?replacement'",
    ),
    env: { SLUICE_RELOADS: 'full' },
    figures: /^(reloads: .+|Tests: .+)$/gm,
  },
  customers: {
    shows: 'a policy file with 100,000 customers is applied in time, stalls nobody, and its decisions cost little more',
    command: 'npx tsc -b && node --expose-gc packages/bench/measure/customers.mjs',
    figures: /^customers: (.+)$/gm,
  },
  fleets: {
    shows:
      'leased and synced stores with their defaults never cost Redis more commands than a plain one, in fleets of 10 and 200 instances in virtual time',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/simulation/test/fleet/cost-of-fleets'),
    env: { SLUICE_FLEETS: 'full' },
    figures: /^fleets: (.+)$/gm,
  },
  'way-back': {
    shows:
      'fleets of 10, 200 and 2,000 instances, in virtual time, and one of 200 over a real Redis, decide by it again within a second of its return',
    command: [
      jest('-i', '--selectProjects', 'sluice', '--', 'packages/simulation/test/fleet/way-back'),
      'npm run --silent way-back -w @sluice/test-kit -- --trials 100',
    ].join(' && '),
    env: { SLUICE_FLEETS: 'full' },
    figures: /^way back: (.+)$/gm,
  },
  growth: {
    shows: 'what each way to count takes of its servers at 1,000 and 30,000 requests a second',
    command: 'npm run --silent growth -w @sluice/test-kit',
    figures: /^\| (.+) \|$/gm,
  },
  'kill-switch': {
    shows: 'the kill switch reaches three processes within 1 s by a file, and within 200 ms by Redis',
    command: 'npx tsc -b && node packages/bench/measure/kill-switch.mjs',
    figures: /^kill switch: (.+)$/gm,
  },
  fuzz: {
    shows:
      'a million requests that nobody expects, over every protocol of the decision service: no crash, no 5xx, no growth',
    command: jest('-i', '--selectProjects', 'sluice', '--testTimeout', '3600000', '--', 'packages/server/test/fuzz'),
    env: { SLUICE_FUZZ: 'full' },
    figures: /^fuzz: (.+)$/gm,
  },
  restart: {
    shows:
      'three instances of the decision service restart one after another under 2,000 requests a second: no request fails, and none is admitted above the limit',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/server/test/program/restart'),
    env: { SLUICE_RESTART: 'full' },
    figures: /^restart: (.+)$/gm,
  },
  admin: {
    shows: 'a block set at one instance refuses at three instances within 200 ms, and so fast an enforcement holds',
    command: jest('-i', '--selectProjects', 'sluice', '--', 'packages/server/test/admin/three-instances'),
    env: { SLUICE_ADMIN: 'full' },
    figures: /^(admin: .+|Tests: .+)$/gm,
  },
  overload: {
    shows:
      'servers of Express, Fastify and Nest with shedLoad stay quick at half to four times their capacity, beside their peers',
    // It goes on where it was stopped.
    command: 'npx tsc -b && node packages/bench/measure/overload.mjs',
    options: { '--minutes': 'minutes' },
    isFollowed: true,
    figures: /^overload: (.+)$/gm,
  },
  load: {
    shows: 'the example admits what its limits say, under ten clients at once',
    command: 'npm run --silent load -w @sluice/example-express-api',
    figures: /^(\d+ requests;.*)$/gm,
  },
  slots: {
    shows: 'what 50,000 held slots cost while they are renewed; none is lost',
    command: 'npx tsc -b && node packages/bench/measure/slots.mjs',
    figures: /^((?:\d+ slots|failures).*)$/gm,
  },
  memory: {
    shows: 'bytes for each remembered key, by algorithm',
    command: 'npm run --silent measure',
    figures: /^│ (.*) │$/gm,
  },
  attack: {
    shows:
      'five million made-up keys neither fill the heap nor free an exhausted key, and 290,000 free no spent key of the service',
    command: [
      'npm run --silent bench -- attack',
      jest(
        '-i',
        '--selectProjects',
        'sluice',
        '--testTimeout',
        '600000',
        '--',
        'packages/server/test/program/max-keys',
      ),
    ].join(' && '),
    env: { SLUICE_ATTACK: 'full' },
    figures: /^(?:\| )?((?:Sluice|attack: ).*?)(?: \|)?$/gm,
  },
  'first-429': {
    shows: 'in an empty folder, the page of each framework leads to a first refusal in at most five commands',
    command: 'npm run --silent build && node .config/publish/first-429.mjs',
    figures: /^first 429: (.+)$/gm,
  },
};
