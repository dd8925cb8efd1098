import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { chosenKeys, type LimitRule, readPolicyFile } from '@sluice/config';
import type { Limit } from '@sluice/core';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { sluice } from '../test-io.js';

const NGINX = debianProgram('nginx');
const FOLDER = join(__dirname, 'configurations');

/** Every configuration, but those that another one includes. */
const CONFIGURATIONS = ['nginx', 'kong', 'ratelimit', 'envoy'].flatMap((product) =>
  readdirSync(join(FOLDER, product))
    .filter((file) => /\.(?:conf|ya?ml)$/.test(file))
    .map((file) => `${product}/${file}`),
);

const converted = new Map<string, ReturnType<typeof convertNow>>();

/** Converts a configuration, and reads the result as a policy file. */
function convert(configuration: string): ReturnType<typeof convertNow> {
  const known = converted.get(configuration) ?? convertNow(configuration);
  converted.set(configuration, known);
  return known;
}

async function convertNow(configuration: string) {
  const { out, err, exitCode } = await sluice(['from', join(FOLDER, configuration)]);
  const { file, mistakes } = readPolicyFile(out);
  if (!file) throw new Error(`${err}${mistakes?.map(({ line, message }) => `${line} ${message}`).join('\n')}\n${out}`);
  return { file, text: out, exitCode };
}

/** A limit in a line, as people say it. */
function say(limit: Limit | undefined): string {
  if (limit === undefined) return 'tier';
  const { algorithm, quota, windowMs, calendar, refillUnits = 0, refillPeriodMs = 1, immediate } = limit;
  if (algorithm === 'unlimited') return 'unlimited';
  if (algorithm === 'concurrency') return `${quota} at once`;
  if (algorithm.endsWith('bucket')) {
    const rate = (refillUnits * 1000) / refillPeriodMs;
    return `${algorithm} ${quota}, ${rate} a second${immediate === undefined ? '' : `, ${immediate} immediate`}`;
  }
  return `${quota} per ${calendar?.unit ?? `${(windowMs ?? 0) / 1000} s`}, ${algorithm}`;
}

const sayItem = ({ name, limit, key, enforce }: LimitRule): string =>
  `${name}: ${say(limit)}${key ? ` by ${key.join(', ')}` : ''}${enforce === 0 ? ' (counted only)' : ''}`;

describe('sluice from', () => {
  it('has at least 20 configurations to convert', () => {
    expect(CONFIGURATIONS.length).toBeGreaterThanOrEqual(20);
  });

  it.each(CONFIGURATIONS)('converts %s into a valid policy file that says what differs', async (configuration) => {
    const { file, text, exitCode } = await convert(configuration);
    expect(file.policies.size).toBeGreaterThan(0);
    expect(chosenKeys(file)).toEqual([]);
    expect(text).toContain(`# Converted from`);
    expect(text).toMatch(/# (?:differs|left out): /);
    expect(exitCode).toBe(text.includes('# left out: ') ? 1 : 0);
  });

  it.each([
    [
      'nginx/api-keys.conf',
      {
        'api-v1-completions /api/v1/completions*/** by x-api-key': [
          'user_limit: token-bucket 6, 1.666 a second',
          'address: token-bucket 60, 16.66 a second by address',
        ],
        'api /api/** by address': ['api_limit: token-bucket 21, 10 a second'],
      },
    ],
    [
      'nginx/login.conf',
      {
        'wp-login-php /wp-login.php by address': [
          'login: token-bucket 3, 0.2 a second',
          'general: token-bucket 41, 15 a second',
        ],
        'shop-example by address': ['general: token-bucket 41, 15 a second'],
      },
    ],
    ['nginx/allowed-networks.conf', { 'api by address': ['per_client: token-bucket 11, 5 a second'] }],
    ['nginx/plans.conf', { 'v1 /v1/** by x-api-key': ['free: tier by address', 'pro: tier'] }],
    [
      'nginx/two-stage.conf',
      {
        'reports /reports/** by address': ['ip: leaky-bucket 4, 5 a second'],
        'strict /strict*/** by address': ['ip: token-bucket 1, 5 a second'],
        'pages /pages/** by address': ['ip: leaky-bucket 13, 5 a second, 8 immediate'],
      },
    ],
    [
      'nginx/downloads.conf',
      { 'downloads /downloads/** by address': ['perip: 10 at once', 'perserver: 100 at once by everyone'] },
    ],
    [
      'nginx/sites.conf',
      {
        'search /search*/** /suggest*/** by address': [
          'everywhere: token-bucket 41, 20 a second',
          'connections: 20 at once',
        ],
      },
    ],
    ['nginx/robots.conf', { 'api by robot': ['robots: leaky-bucket 6, 1 a second'] }],
    [
      'nginx/rehearsal.conf',
      {
        'forms-contact /forms/contact*/** by x-forwarded-for': [
          'client: token-bucket 3, 0.5 a second',
          'address: token-bucket 30, 5 a second by address',
        ],
        'forms /forms/** by x-forwarded-for': [
          'client: token-bucket 10, 0.5 a second (counted only)',
          'page: token-bucket 3, 1 a second by x-forwarded-for, request_uri (counted only)',
        ],
      },
    ],
    ['kong/completions.yml', { 'completions-v1 POST /api/v1*/** by consumer': ['minute: tier', 'hour: tier'] }],
    [
      'kong/three-levels.yml',
      {
        'orders-export /orders/export*/** by everyone': [
          'hour: 20 per 3600 s, fixed-window',
          'day: 100 per 86400 s, fixed-window',
        ],
        'orders GET /orders*/** by x-tenant': [
          'minute: 600 per 60 s, fixed-window',
          'address: 6000 per 60 s, fixed-window by address',
        ],
        'api by address': ['second: 50 per 1 s, fixed-window'],
      },
    ],
    [
      'kong/deck.yaml',
      {
        'pay /pay*/** by consumer': ['minute: tier'],
        'refund by address': ['day: 10 per 86400 s, fixed-window'],
      },
    ],
    ['kong/groups.yaml', { 'catalogue /catalogue*/** by consumer': ['per-60s: tier'] }],
    [
      'kong/shared-blocks.yml',
      {
        'reports /reports*/** by address': [
          'minute: 120 per 60 s, fixed-window',
          'day: 5000 per 86400 s, fixed-window',
        ],
        'reports-csv /reports/csv*/** /reports/xls*/** by address': [
          'minute: 10 per 60 s, fixed-window',
          'day: 5000 per 86400 s, fixed-window',
          'month: 20000 per month, fixed-window',
        ],
        'preview /preview*/** by consumer': ['hour: 50 per 3600 s, fixed-window'],
      },
    ],
    [
      'ratelimit/accounts.yaml',
      {
        'remote_address by address': ['minute: 30 per 60 s, fixed-window'],
        'sign_up-remote_address by address': ['hour: 5 per 3600 s, fixed-window'],
        'marketing-to_number by to_number': ['day: 5 per 86400 s, fixed-window'],
      },
    ],
    [
      'ratelimit/databases.yaml',
      {
        'users by everyone': ['second: 500 per 1 s, fixed-window'],
        'orders by everyone': ['second: 200 per 1 s, fixed-window (counted only)'],
        'archive by everyone': ['month: 100000 per 2592000 s, fixed-window'],
      },
    ],
    [
      'ratelimit/plans.yaml',
      { 'api_key by api_key': ['minute: tier'], 'trial by everyone': ['minute: 10 per 60 s, fixed-window'] },
    ],
    [
      'ratelimit/replaces.yaml',
      {
        'everything by everyone': ['second: 1000 per 1 s, fixed-window'],
        'render POST /v1/render by everyone': ['second: 20 per 1 s, fixed-window'],
        'v1-fonts /v1/fonts/** by path': ['week: 700 per 604800 s, fixed-window'],
      },
    ],
    [
      'envoy/local.yaml',
      { 'http_local_rate_limiter by everyone': ['bucket: token-bucket 100, 10 a second (counted only)'] },
    ],
    [
      'envoy/per-route.yaml',
      {
        'uploads by everyone': ['bucket: token-bucket 6, 0.1 a second'],
        'batch by everyone': ['bucket: token-bucket 2, 4 a second'],
      },
    ],
  ])('makes these limits of %s', async (configuration, expected) => {
    const { file } = await convert(configuration);
    const policies = [...file.policies.values()].map(({ name, match, key, limits }) => [
      [name, ...(match?.methods ?? []), match?.path ?? [], 'by', ...key].flat().join(' '),
      limits.map(sayItem),
    ]);
    expect(Object.fromEntries(policies)).toEqual(expected);
  });

  it.each([
    [
      'nginx/plans.conf',
      {
        default: { free: 'token-bucket 5, 2 a second', pro: 'unlimited' },
        pro: { free: 'unlimited', pro: 'token-bucket 101, 50 a second' },
        unlimited: { free: 'unlimited', pro: 'unlimited' },
      },
      { 'key-acme': 'pro', 'key-globex': 'pro', 'key-probe': 'unlimited' },
    ],
    [
      'kong/completions.yml',
      {
        default: { minute: '100 per 60 s, fixed-window', hour: '1000 per 3600 s, fixed-window' },
        'premium-user': { minute: '500 per 60 s, fixed-window', hour: '10000 per 3600 s, fixed-window' },
      },
      { 'standard-user': 'default', 'premium-user': 'premium-user' },
    ],
    [
      'kong/groups.yaml',
      {
        default: { 'per-60s': '60 per 60 s, sliding-window-counter' },
        gold: { 'per-60s': '600 per 60 s, sliding-window-counter' },
        silver: { 'per-60s': '120 per 60 s, sliding-window-counter' },
      },
      { acme: 'gold', globex: 'gold', initech: 'silver', hooli: 'default' },
    ],
    [
      'ratelimit/plans.yaml',
      {
        default: { minute: '60 per 60 s, fixed-window' },
        acme: { minute: '600 per 60 s, fixed-window' },
        monitoring: { minute: 'unlimited' },
      },
      { acme: 'acme', partner: 'acme', monitoring: 'monitoring' },
    ],
  ])('makes these tiers of %s', async (configuration, tiers, customers) => {
    const { file } = await convert(configuration);
    const said = [...file.tiers].map(([name, limits]) => [
      name,
      Object.fromEntries([...limits].map(([limit, numbers]) => [limit, say(numbers)])),
    ]);
    expect(Object.fromEntries(said)).toEqual(tiers);
    expect(Object.fromEntries([...file.customers].map(([name, { tier }]) => [name, tier]))).toEqual(customers);
  });

  it.each([
    ['nginx/allowed-networks.conf', 'allowList: [ 10.0.0.0/8, 192.168.7.0/24, 127.0.0.2/32 ]'],
    ['nginx/api-keys.conf', 'it admits one request every 601 ms, and 6 at once'],
    ['nginx/downloads.conf', 'limit_rate 500k (', 'it limits bytes per second'],
    ['nginx/login.conf', 'the status 444 of limit_req', 'nginx counts the zone general together in'],
    ['nginx/robots.conf', 'tells by the regular expression ~*(?:bot|crawl|spider)'],
    ['nginx/sites.conf', 'sites/search.inc:1)', 'sites/10-zones.conf:1)'],
    ['kong/completions.yml', 'onStoreError: allow', 'message: { message: "Rate limit exceeded" }'],
    ['kong/three-levels.yml', 'the plugin response-ratelimiting (', 'error_code: 503'],
    [
      'kong/shared-blocks.yml',
      `minute: \${{ env "DECK_PREVIEW_LIMIT" }}`,
      'year: 100000',
      'sync_rate: 0.5 passes the limit',
    ],
    ['kong/deck.yaml', 'onStoreError: deny', 'a path is a regular expression: ~/refunds/\\d+$'],
    ['kong/groups.yaml', 'Kong counts refused requests, too'],
    ['ratelimit/databases.yaml', 'shadow_mode: true: it is counted', 'a month of this service has 30 days'],
    ['ratelimit/plans.yaml', 'share_threshold: all values with this beginning are counted together'],
    ['ratelimit/replaces.yaml', 'replaces: everything:', 'internal=yes has no limit'],
    ['envoy/local.yaml', 'filter_enforced is not stated, and its default is 0 %: this filter refuses nobody'],
    ['envoy/per-route.yaml', 'status: ServiceUnavailable'],
  ])('says in %s: %s', async (configuration, ...sentences) => {
    const { text } = await convert(configuration);
    // Comments are broken into lines.
    const flat = text.replaceAll(/\n *# {2}/g, ' ');
    for (const sentence of sentences) expect(flat).toContain(sentence);
  });

  it.each(['/', '/api', '/api/', '/a.b/~c'])('matches what begins with %s, as nginx and Kong do', async (prefix) => {
    const text = `http { limit_req_zone $server_name zone=z:1m rate=1r/s; server { location ${prefix} { limit_req zone=z; } } }`;
    const { out } = await sluice(['from', '-', '--format', 'nginx'], { stdin: text });
    expect(readPolicyFile(out).mistakes).toBeUndefined();
  });
});

describe('A configuration that is not whole', () => {
  const nginx = (locations: string): string =>
    `http { limit_req_zone $server_name zone=none:1m rate=0r/s; limit_req_zone $server_name zone=z:1m rate=1r/s; server { ${locations} } }`;

  it('leaves out a policy without a limit, and says why', async () => {
    const text = nginx('location /a { limit_req zone=none; } location /b { limit_req zone=z; }');
    const { out, exitCode } = await sluice(['from', '-', '--format', 'nginx'], { stdin: text });
    const { file, mistakes } = readPolicyFile(out);
    expect(mistakes).toBeUndefined();
    expect(file?.policies.size).toBe(1);
    expect(out).toMatch(/left out: .*0r\/s/);
    expect(exitCode).toBe(1);
  });

  it('gives two limits by one zone two names', async () => {
    const text = nginx('location /b { limit_req zone=z burst=5; limit_req zone=z burst=9; }');
    const { out } = await sluice(['from', '-', '--format', 'nginx'], { stdin: text });
    const { file } = readPolicyFile(out);
    expect([...(file?.policies.values() ?? [])].map(({ limits }) => limits.map(({ name }) => name))).toEqual([
      ['z', 'z-2'],
    ]);
  });
});

describe('A descriptor without rate_limit, which envoyproxy/ratelimit does not limit', () => {
  const from = (descriptors: string, ...options: string[]) =>
    sluice(['from', '-', '--format', 'ratelimit', ...options], { stdin: `domain: d\ndescriptors: ${descriptors}\n` });
  const minute = 'rate_limit: { unit: minute, requests_per_unit: 10 }';

  it('becomes a customer without limits', async () => {
    const { out, exitCode } = await from(`[{ key: tenant, ${minute} }, { key: tenant, value: probes }]`);
    const { file } = readPolicyFile(out);
    const tier = file?.customers.get('probes')?.tier ?? '';
    expect(file?.tiers.get(tier)?.get('minute')?.algorithm).toBe('unlimited');
    // The key is for code to read.
    expect(exitCode).toBe(1);
  });

  it.each(['10.0.0.9', '10.0.0.0/8'])('becomes an entry of the allowList if it is the address %s', async (address) => {
    const { out } = await from(`[{ key: remote_address, ${minute} }, { key: remote_address, value: ${address} }]`);
    const { file } = readPolicyFile(out);
    expect([...(file?.policies.values() ?? [])].map(({ allowList }) => allowList)).toEqual([[address]]);
    expect(out).toContain(`from: remote_address=${address} has no limit (<stdin>:2)`);
  });

  it('is told if a policy counts it nevertheless', async () => {
    const { out } = await from(`[{ key: tenant, ${minute} }, { key: tenant, value: "probe-*" }]`);
    expect(out.replaceAll(/\n *# {2}/g, ' ')).toContain(
      'left out: tenant=probe-* has no limit (<stdin>:2). Here the policy of tenant counts it, too',
    );
  });

  it('is told if nothing limits it', async () => {
    const { out } = await from(`[{ key: tenant, ${minute} }, { key: generic_key, value: health }]`);
    expect(out).toContain('from: generic_key=health has no limit (<stdin>:2): it needs no policy');
  });
});

describe('a descriptor of ratelimit with a limit of its own beside a general one', () => {
  const isReported = async (general: string, own: string): Promise<boolean> => {
    const limit = (units: number): string => `rate_limit: { unit: minute, requests_per_unit: ${units} }`;
    const customers = `{ key: tenant, ${limit(1)} }, { key: tenant, value: acme, ${limit(2)} }`;
    const descriptors = `[${customers}, ${general.replace('LIMIT', limit(10))}, ${own.replace('LIMIT', limit(50))}]`;
    const { out } = await sluice(['from', '-', '--format', 'ratelimit'], {
      stdin: `domain: d\ndescriptors: ${descriptors}\n`,
    });
    return /left out: .* has a limit of its own, and the service counts it by that alone/.test(
      out.replaceAll(/\n *# {2}/g, ' '),
    );
  };

  it.each([
    ['a value of a second key', '{ key: plan, LIMIT }', '{ key: plan, value: gold, LIMIT }'],
    ['an address', '{ key: remote_address, LIMIT }', '{ key: remote_address, value: 192.0.2.7, LIMIT }'],
    ['a beginning', '{ key: path, LIMIT }', '{ key: path, value: "/a*", LIMIT }'],
    ['a value with the beginning', '{ key: path, value: "/a*", LIMIT }', '{ key: path, value: /a/b, LIMIT }'],
    [
      'an outer value',
      '{ key: plan, descriptors: [{ key: user, LIMIT }] }',
      '{ key: plan, value: gold, descriptors: [{ key: user, LIMIT }] }',
    ],
  ])('is told, because two policies count it here: %s', async (_name, general, own) => {
    expect(await isReported(general, own)).toBe(true);
  });

  it.each([
    ['another value', '{ key: path, value: "/a*", LIMIT }', '{ key: path, value: /b, LIMIT }'],
    ['another key', '{ key: plan, LIMIT }', '{ key: user, value: gold, LIMIT }'],
  ])('is not told where it is none: %s', async (_name, general, own) => {
    expect(await isReported(general, own)).toBe(false);
  });
});

describe('sluice from --for service', () => {
  it('says what the decision service refuses, with its line', async () => {
    const text =
      'http { limit_conn_zone $binary_remote_addr zone=open:1m; server { location / { limit_conn open 5; } } }';
    expect((await sluice(['from', '-', '--format', 'nginx'], { stdin: text })).err).not.toContain('left to correct');
    const { err, exitCode } = await sluice(['from', '-', '--format', 'nginx', '--for', 'service'], { stdin: text });
    expect(err).toMatch(
      /left to correct: the policy file:\d+:\d+ policies\.\S+ counts open requests, .*SLUICE_UNSUPPORTED/,
    );
    expect(exitCode).toBe(1);
  });
});

describe('The nginx configurations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(CONFIGURATIONS.filter((path) => path.startsWith('nginx/')))('%s is accepted by the real nginx', (path) => {
    const prefix = `${join(FOLDER, 'nginx')}/`;
    const settings = `error_log stderr; pid ${folder}/pid;`;
    execFileSync(NGINX, ['-t', '-q', '-p', prefix, '-c', join(FOLDER, path), '-g', settings], { stdio: 'pipe' });
  });
});
