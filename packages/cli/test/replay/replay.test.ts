import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import type { ReplayResult } from '../../src/replay/replay-result.js';
import { sluice } from '../test-io.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The files of this test that the process has open, where the system tells it. */
function openFiles(): string[] {
  const own = '/proc/self/fd';
  if (!existsSync(own)) return [];
  return readdirSync(own)
    .filter((descriptor) => existsSync(join(own, descriptor)))
    .map((descriptor) => readlinkSync(join(own, descriptor)))
    .filter((path) => path.startsWith(folder));
}

/** A line of JSON: who asked when, in seconds since the start, and how it was answered. */
const line = (atS: number, ip: string, more: object = {}): string =>
  JSON.stringify({ time: Date.UTC(2026, 10, 22) + atS * 1000, method: 'GET', url: '/v1/a', ip, status: 200, ...more });

const policies = (limit: number, more = ''): string => `
version: 1
policies:
  api: { match: { path: /v1/** }, key: address, limits: [{ name: minute, limit: ${limit}, window: 1m }]${more} }
`;

const run = (...args: string[]) => sluice(['replay', ...args], { clock: new ManualClock() });

async function result(...args: string[]): Promise<ReplayResult> {
  const { out, err, exitCode } = await run(...args, '--json');
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
  return JSON.parse(out) as ReplayResult;
}

const LOG = [
  line(0, '192.0.2.1'),
  line(1, '192.0.2.1'),
  line(2, '192.0.2.2'),
  line(3, '192.0.2.1', { status: 500 }),
  line(70, '192.0.2.1'),
];
const log = file('access.log', LOG.join('\n'));
const two = file('two.yaml', policies(2));

describe('sluice replay', () => {
  it('counts what a limit would have refused, by request, key and answer', async () => {
    expect(await result(two, log)).toMatchObject({
      lines: { read: 5, unparsed: 0 },
      resolutionMs: 1,
      requests: { seen: 5, refused: 1 },
      clients: { seen: 2, refused: 1 },
      refusedAnswers: { well: 0, withError: 1 },
      worstMinute: { atMs: Date.UTC(2026, 10, 22), requests: 4, refused: 1 },
      policies: [{ policy: 'api', limits: [{ limit: 'minute', tier: '', refused: 1, keysRefused: 1 }] }],
      topKeys: [{ key: '192.0.2.1', refused: 1, requests: 4 }],
      notes: [],
    });
  });

  it('counts a request that no policy matches, and no request of the proxy alone', async () => {
    const other = file(
      'other.log',
      [line(0, '192.0.2.1', { url: '/health' }), line(1, '192.0.2.1', { method: 'PRI' })].join('\n'),
    );
    expect(await result(two, other)).toMatchObject({ requests: { seen: 1 }, unmatched: 1, lines: { notReached: 1 } });
  });

  it('merges logs by their times, packed or not, in any order', async () => {
    const early = file('early.log', `${LOG.slice(0, 2).join('\n')}\n`);
    const late = file('late.log.gz', gzipSync(`${LOG.slice(2).join('\r\n')}\r\n`));
    const whole = await result(two, log);
    expect(await result(two, late, early)).toEqual({ ...whole, logs: [late, early] });
  });

  it('puts a log in reverse order in the order of its times', async () => {
    const times = [0, 1, 100, 101, 200, 201];
    const reversed = file(
      'reversed.log',
      times
        .toReversed()
        .map((atS) => line(atS, '192.0.2.1'))
        .join('\n'),
    );
    expect(await result(two, reversed)).toMatchObject({ requests: { seen: 6, refused: 0 }, lines: { late: 0 } });
  });

  it('counts nothing of a file that follows a later one, and says so', async () => {
    // One in 10 s, of which the limit refuses none.
    const sorted = Array.from({ length: 200 }, (_, i) => line(i * 10, '192.0.2.1'));
    const log = file('wrong-order.log', [...sorted.slice(100), ...sorted.slice(0, 100)].join('\n'));
    const policies = file('ten.yaml', 'version: 1\npolicies: { api: { limits: [{ limit: 10, window: 1m }] } }\n');
    expect(await result(policies, log)).toMatchObject({
      requests: { seen: 100, refused: 0 },
      lines: { read: 200, late: 0, misplaced: 100 },
    });
    const { out } = await sluice(['replay', policies, log]);
    expect(out.replaceAll(/\n {4}/g, ' ')).toContain(
      '100 lines were written more than a minute before one above them, and were not counted. Pass each file of a log by itself',
    );
  });

  it('reads the standard input', async () => {
    const { out } = await sluice(['replay', two, '-', '--json'], { stdin: LOG.join('\n'), clock: new ManualClock() });
    expect(JSON.parse(out)).toMatchObject({ requests: { seen: 5, refused: 1 } });
  });

  it('shows lines that it cannot read, and goes on', async () => {
    const hostile = ['\u0016\u0003\u0001', '{"time":', 'x'.repeat(3_000_000), '', '{}'];
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from([...hostile, ...LOG].join('\n'))]);
    const { lines, requests } = await result(two, file('hostile.log', bytes), '--log-format', 'json');
    expect(requests.seen).toBe(5);
    expect(lines).toMatchObject({ read: 10, unparsed: 5 });
    expect(lines.firstUnparsed.map(({ line: number }) => number)).toEqual([1, 2, 3, 4, 6]);
    expect(lines.firstUnparsed[0]?.text).toBe(String.raw`\xFF\xFE`);
  });

  it('compares two files', async () => {
    const { changes, timeline } = await result(two, log, '--against', file('three.yaml', policies(1)));
    expect(changes).toEqual({ newlyRefused: 0, newlyAllowed: 1 });
    expect(timeline.map((point) => point.refusedAgainst ?? 0).reduce((sum, number) => sum + number)).toBe(2);
  });

  it('tries other numbers', async () => {
    const { sweeps } = await result(two, log, '--sweep', 'minute.limit=1,2,3');
    expect(sweeps).toEqual([
      {
        policy: 'api',
        limit: 'minute',
        tier: '',
        current: 2,
        requests: 5,
        keys: 2,
        points: [
          { quota: 1, requestsRefused: 2, keysRefused: 1 },
          { quota: 2, requestsRefused: 1, keysRefused: 1 },
          { quota: 3, requestsRefused: 0, keysRefused: 0 },
        ],
        knee: 3,
      },
    ]);
  });

  it('gives back what a refused request spent before, and tries other numbers with what the policies before let through', async () => {
    const chained = file(
      'chained.yaml',
      `
version: 1
policies:
  first: { key: everyone, limits: [{ name: total, limit: 2, window: 1h }] }
  api: { key: everyone, limits: [{ name: minute, limit: 1, window: 1m, key: address }] }
`,
    );
    const { policies: all, sweeps } = await result(chained, log, '--sweep', 'minute.limit=1,2');
    expect(all[1]).toMatchObject({ requests: { seen: 3 }, limits: [{ limit: 'minute', refused: 1 }] });
    expect(sweeps[0]).toMatchObject({
      requests: 3,
      keys: 2,
      points: [
        { quota: 1, requestsRefused: 1, keysRefused: 1 },
        { quota: 2, requestsRefused: 0, keysRefused: 0 },
      ],
    });
  });

  it('takes a range of numbers in equal factors, with the number of the file', async () => {
    const [sweep] = (await result(two, log, '--sweep', 'api.minute.limit=1..500')).sweeps;
    const quotas = sweep?.points.map(({ quota }) => quota) ?? [];
    expect([quotas[0], quotas.at(-1)]).toEqual([1, 500]);
    expect(quotas).toContain(2);
    expect(quotas.length).toBeGreaterThan(8);
  });

  it('tries other numbers of limits in tiers whose names look like numbers', async () => {
    const numbered = file(
      'numbered.yaml',
      `
version: 1
keys: { client: code }
tiers: { 007: { 60: { limit: 2, window: 1m } } }
policies: { 1: { key: client, tier: { from: code, default: "007" }, limits: [{ name: "60", tier: true }] } }
`,
    );
    const key = ['--key', 'client=remote_addr'];
    const { sweeps } = await result(numbered, log, ...key, '--sweep', '007.60.limit=1,3');
    expect(sweeps).toMatchObject([
      { policy: '1', limit: '60', tier: '007', current: 2, points: [{ quota: 1 }, { quota: 3 }] },
    ]);
  });

  it.each([
    [
      'a folder that is missing',
      join(folder, 'missing', 'report.html'),
      /cannot write .*report\.html: there is no such file/,
    ],
    ['a folder', folder, /cannot write .*: it is a folder/],
  ])('says before it begins that a report cannot be written: %s', async (_, report, message) => {
    const { err, exitCode } = await run(two, 'no.log', '--report', report);
    expect(exitCode).toBe(3);
    expect(err).toMatch(message);
  });

  it('takes the part of a log that is asked for', async () => {
    const part = ['--from', '2026-11-22T00:00:01', '--to', '2026-11-22 00:01'];
    expect(await result(two, log, ...part)).toMatchObject({ requests: { seen: 3 }, lines: { outside: 2 } });
  });

  it('says if no request came in the time that is asked for', async () => {
    const { out, exitCode } = await run(two, log, '--from', '2030-01-01');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^\S+ on no request of \S+access\.log\n\n/);
    expect(out).toContain('5 requests came before --from or after --to.');
    expect(out).not.toContain('1970');
  });

  it('bounds the truth of a log that has whole seconds and how long requests took', async () => {
    const coarse = file(
      'coarse.log',
      ['10 1.100', '11 0.950']
        .map((t) => `192.0.2.1 [22/Nov/2026:19:00:${t} "GET /v1/a HTTP/1.1" 200`.replace(/:(\d\d) /, ':$1 +0000] '))
        .join('\n'),
    );
    const options = ['--log-format', '$remote_addr [$time_local] $request_time "$request" $status'];
    const second = file('second.yaml', policies(1).replace('1m', '900ms'));
    // The second began between 0.15 and 2.15 seconds after the first.
    expect((await result(second, coarse, ...options)).requests.refusedRange).toEqual([0, 1]);
  });

  it('enforces every limit for everybody, whatever rollout and enforcement say', async () => {
    const shadow = `enforcement: shadow${policies(2, ', rollout: [{ from: 2026-11-01T00:00:00Z, enforce: 0 }]')}`;
    expect((await result(file('shadow.yaml', shadow), log)).requests.refused).toBe(1);
  });

  it('counts by the field that --key names, and by a hash of it if it is a header', async () => {
    const keyed = file(
      'keyed.yaml',
      policies(1).replace('key: address', 'key: user').replace('policies:', 'keys: { user: code }\npolicies:'),
    );
    const users = ['ann', 'bob', 'ann'].map((id, i) => line(i, '192.0.2.1', { user: { id }, headers: { 'X-Id': id } }));
    const byUser = file('users.log', users.join('\n'));
    expect((await result(keyed, byUser, '--key', 'user=user.id')).topKeys).toEqual([
      { key: 'ann', policy: 'api', requests: 2, refused: 1 },
    ]);
    expect((await result(keyed, byUser, '--key', 'header.x-id')).clients).toEqual({ seen: 2, refused: 1 });
    expect((await result(keyed, byUser, '--key', 'remote_addr')).clients).toEqual({ seen: 1, refused: 1 });
  });

  it('is told in words', async () => {
    const { out } = await run(two, log, '--sweep', 'minute.limit=1,2,3');
    expect(out).toContain('Refused          1 of 5 requests (20 %)');
    expect(out).toContain('3 is the smallest of these limits that touches fewer than 0.1 % of keys.');
  });

  const code = file(
    'code.yaml',
    policies(1).replace('key: address', 'key: user').replace('policies:', 'keys: { user: code }\npolicies:'),
  );
  const combined = file(
    'combined.log',
    '192.0.2.1 - - [22/Nov/2026:19:00:44 +0000] "GET /v1/a HTTP/1.1" 200 5 "-" "-"',
  );
  const header = file(
    'header.yaml',
    policies(1)
      .replace('key: address', 'key: user')
      .replace('policies:', 'keys: { user: { header: x-api-key } }\npolicies:'),
  );
  it.each<[string, string[], number, RegExp]>([
    ['a log that is missing', [two, join(folder, 'no.log')], 3, /cannot read .*no\.log/],
    ['a folder', [two, folder], 3, /cannot read/],
    ['an empty log', [two, file('empty.log', '')], 3, /there is no line/],
    [
      'a log of another kind',
      [two, file('sys.log', 'Nov 22 host sshd: hello')],
      3,
      /no format that is known by its look/,
    ],
    [
      'a log of another format',
      [two, combined, '--log-format', 'json'],
      3,
      /has the format json. The first is:\n {2}192/,
    ],
    ['a packed log that is cut', [two, file('cut.gz', gzipSync('x'.repeat(9999)).subarray(0, 20))], 3, /cannot read/],
    ['a log that another program packed', [two, file('a.zst', Buffer.from('28b52ffd00', 'hex'))], 3, /use zstdcat/],
    ['a key of code', [code, log], 2, /The key user comes from your code.*--key user=remote_addr/],
    ['a header that the log lacks', [header, combined], 2, /Add \$http_x_api_key to the log_format/],
    ['a field that the log lacks', [code, combined, '--key', 'user=user.id'], 2, /no such field/],
    ['a key that the file lacks', [two, log, '--key', 'customer=remote_addr'], 2, /has no key customer/],
    ['a wrong log format', [two, log, '--log-format', 'nginx'], 2, /no log format/],
    ['a wrong time', [two, log, '--from', 'yesterday'], 2, /2026-11-22/],
    ['a sweep of no limit', [two, log, '--sweep', 'hour.limit=1..5'], 2, /no limit of this name/],
    ['a sweep that is none', [two, log, '--sweep', 'minute=1..5'], 2, /write it as minute\.limit=30\.\.600/],
    ['a sweep of a wrong number', [two, log, '--sweep', 'minute.limit=0,5'], 2, /whole numbers above 0/],
    ['a log that is not there', [two, log, 'no.log'], 3, /cannot read no\.log: there is no such file/],
    ['the standard input twice', ['-', '-'], 2, /only once/],
  ])('tells what to do about %s', async (_, args, expected, message) => {
    const { exitCode, out, err } = await run(...args);
    expect({ exitCode, out }).toEqual({ exitCode: expected, out: '' });
    expect(err).toMatch(message);
    expect(openFiles()).toEqual([]);
  });
});

describe('sluice replay of a file that sluice init has written', () => {
  /** Forty clients that read a page a minute, and log in now and then. */
  const quiet = Array.from({ length: 1200 }, (_, i) => {
    const minute = Math.floor(i / 40);
    const isLogin = minute === i % 40 && minute < 20;
    return JSON.stringify({
      time: new Date(Date.UTC(2026, 10, 22, 0, minute, i % 40)).toISOString(),
      remote_addr: `192.0.2.${i % 40}`,
      request: isLogin ? 'POST /login HTTP/1.1' : 'GET /page HTTP/1.1',
      status: 200,
    });
  }).join('\n');

  it('refuses nobody of a quiet log, and counts clients, not their policies', async () => {
    const { out: template } = await sluice(['init', '-']);
    const found = await result(file('init.yaml', template), file('quiet.log', quiet));
    expect(found).toMatchObject({
      requests: { seen: 1200, refused: 0 },
      clients: { seen: 40, refused: 0 },
      policies: [
        { policy: 'api', isForAll: true, requests: { seen: 1200 }, keys: { seen: 40 } },
        { policy: 'login', isForAll: false, requests: { seen: 20 }, keys: { seen: 20 } },
      ],
    });
  });

  it('lists the limits that refused nobody, and says which policies were asked about everything', async () => {
    const { out: template } = await sluice(['init', '-']);
    const path = file('init.yaml', template.replace(/ {4}match: .*\n/, ''));
    const { out } = await sluice(['replay', path, file('quiet.log', quiet)]);
    expect(out).toContain('api  0 of 1,200 requests');
    expect(out).toContain('  refused nobody: minute, day\n');
    expect(out.replaceAll(/\n {4}/g, ' ')).toContain(
      'Policies that were asked about every request, because the file has no match for them: api, login. If your program',
    );
  });

  it('names no policy if there is one alone, or if each has a match', async () => {
    const one = file('one.yaml', 'version: 1\npolicies: { api: { limits: [{ limit: 100, window: 1m }] } }\n');
    expect((await sluice(['replay', one, file('quiet.log', quiet)])).out).not.toContain('about every request');
  });
});
