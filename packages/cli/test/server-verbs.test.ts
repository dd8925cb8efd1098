import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashedCustomer } from '@sluice/config';
import { headerKey, ipKey } from '@sluice/core/http';
import { encodeKey, hash } from '@sluice/core/values';
import { FILE, READ_TOKEN, RunningAdmin, WRITE_TOKEN } from '../../server/test/admin/running-admin.js';
import { sluice } from './test-io.js';

const SECRET = 'sk-live-51Hc0ffee';
const ofCustomer = (key: string): string => hash(encodeKey(headerKey('x-api-key', key)));
const ofAddress = (ip: string): string => hash(encodeKey(ipKey(ip)));

let admin: RunningAdmin;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-server-verbs-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  admin = await RunningAdmin.start();
});

afterEach(() => admin.close());

/** Runs a verb with a write token. */
function run(args: readonly string[], { token = WRITE_TOKEN, stdin = '' } = {}) {
  return sluice([...args, '--server', admin.url], { env: { SLUICE_TOKEN: token }, stdin });
}

const why = ['--reason', 'a test'];

describe('the verbs about keys', () => {
  it('block, show, list and unblock a key', async () => {
    const blocked = await run(['block', 'login', '203.0.113.7', '--for', 'forever', ...why]);
    expect(blocked).toEqual({
      exitCode: 0,
      out: `key ${ofAddress('203.0.113.7')}: blocked until it is unblocked, by hand: a test\n`,
      err: '',
    });
    expect((await run(['inspect', 'login', '203.0.113.7'])).out).toBe(
      [
        `key ${ofAddress('203.0.113.7')}`,
        '  blocked until it is unblocked, by hand: a test',
        '  limit    tier   quota   used   left   full in   allowed in',
        '  minute              5      0      0     never        never',
        '',
      ].join('\n'),
    );
    expect((await run(['blocked', 'login'])).out).toMatch(
      /^key +until +by +strikes +reason\n\S{43} {3}forever +admin +a test\n$/,
    );
    const lifted = await run(['unblock', 'login', '203.0.113.7', ...why]);
    expect(lifted).toEqual({ exitCode: 0, out: `key ${ofAddress('203.0.113.7')}: unblocked\n`, err: '' });
    expect(await run(['unblock', 'login', '203.0.113.7', ...why])).toEqual({
      exitCode: 1,
      out: `key ${ofAddress('203.0.113.7')}: it was not blocked\n`,
      err: '',
    });
    expect(await run(['blocked', 'login'])).toEqual({ exitCode: 0, out: '', err: '' });
  });

  it('take keys from the standard input, so that a secret is no argument', async () => {
    const { out } = await run(['block', 'api', '-', '--for', '1h', ...why, '--json'], {
      stdin: `${SECRET}\n${hashedCustomer('acme')}\n{"address": "203.0.113.7"}\n`,
    });
    expect(JSON.parse(out).keys.map(({ key }: { key: string }) => key)).toEqual([
      ofCustomer(SECRET),
      ofCustomer('acme'),
      ofAddress('203.0.113.7'),
    ]);
    expect((await admin.ask('api', { headers: { 'x-api-key': SECRET } })).allowed).toBe(false);
  });

  it('take the parts of a compound key', async () => {
    await admin.ask('search', { keys: { user: 'ann' } });
    const parts = ['--part', 'user=ann', '--part', 'client=203.0.113.7'];
    expect((await run(['inspect', 'search', ...parts])).out).toContain('minute             10      1      9');
    expect((await run(['reset', 'search', ...parts, ...why])).out).toMatch(/: forgotten\n$/);
    expect((await run(['inspect', 'all'])).out).toContain('second');
  });

  it('say which of several keys was wrong, and do what comes before it', async () => {
    const { exitCode, out, err } = await run(['block', 'login', '203.0.113.7', 'nobody', '::1', '--for', '1h', ...why]);
    expect([exitCode, out.split('\n').length]).toEqual([2, 2]);
    expect(err).toBe('error: key 2 of 3: /key must be an IP address; IPv6 counts by subnets of 56 bits\n');
  });

  it('tell where a list goes on', async () => {
    for (const host of [1, 2, 3])
      await run(['block', 'login', `203.0.113.${host}`, '--for', `${host}h`, ...why, '--reveal']);
    const { out, err } = await run(['blocked', 'login', '--limit', '2']);
    expect(out).toMatch(/^key .*\n203\.0\.113\.1 .*\n203\.0\.113\.2 .*\n$/);
    const [, cursor = ''] = /--cursor (\S+)\n$/.exec(err) ?? [];
    expect((await run(['blocked', 'login', '--cursor', cursor])).out).toMatch(/^key .*\n203\.0\.113\.3 .*\n$/);
  });

  it('list who is refused most', async () => {
    for (let i = 0; i < 12; i += 1) await admin.ask('login', { ip: '198.51.100.4' });
    const hashed = ofAddress('198.51.100.4');
    expect((await run(['top'], { token: READ_TOKEN })).out).toBe(
      `refusals   policy   limit    key\n       7   login    minute   ${hashed}\n`,
    );
    expect((await run(['top', 'login', '--reveal'])).out).toContain('minute   198.51.100.4\n');
    expect(await run(['top', '--reveal'], { token: READ_TOKEN })).toMatchObject({ exitCode: 3, out: '' });
    expect((await run(['top', 'api'])).out).toBe('');
  });
});

describe('the verbs about an instance', () => {
  it('show and change the enforcement', async () => {
    expect((await run(['enforcement'])).out).toBe('on, as the file says\n');
    expect((await run(['enforcement', 'shadow', '--for', '1h', ...why])).out).toMatch(
      /^shadow, set by ann until .*Z: a test\n$/,
    );
    expect((await run(['enforcement', 'clear', ...why])).out).toBe('on, as the file says\n');
  });

  it('read the policies anew', async () => {
    admin.source.text = FILE.replace('limit: 5,', 'limit: 6,');
    expect(await run(['reload', ...why])).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^applied: revision/),
    });
    admin.source.text = 'version: 2\n';
    const { exitCode, out } = await run(['reload', ...why]);
    expect([exitCode, out]).toEqual([
      1,
      expect.stringMatching(/\ntest\.yaml:1:10 version must be 1[\s\S]*\nrejected: revision/),
    ]);
    expect(await run(['status'])).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining('the newest file was rejected'),
    });
  });

  it('show what decides', async () => {
    const { exitCode, out } = await run(['status'], { token: READ_TOKEN });
    expect(exitCode).toBe(0);
    expect(out.split('\n').slice(1, 4)).toEqual([
      'policy   keys               limit     tier   quota   window   enforced',
      'api      customer address   minute    free       3       1m       100%',
      'api      customer address   minute    pro       30       1m       100%',
    ]);
  });

  it.each([
    ['90s', '90s'],
    ['25h', '25h'],
    ['1500ms', '1500ms'],
    ['120s', '2m'],
  ])('show a window of %s as it is: %s', async (window, shown) => {
    const { revision } = JSON.parse((await run(['status', '--json'])).out);
    admin.source.text = `${FILE.replaceAll('window: 1m', `window: ${window}`)}\naccept: "${revision}"\n`;
    await run(['reload', ...why]);
    expect((await run(['status'])).out).toContain(`   ${shown}   `);
  });

  it.each(['0.04%', '33.33%', '99.97%'])('show a share of enforced keys as it is: %s', async (share) => {
    const { revision } = JSON.parse((await run(['status', '--json'])).out);
    admin.source.text = `${FILE.replace('limit: 5,', `limit: 5, enforce: ${share},`)}\naccept: "${revision}"\n`;
    await run(['reload', ...why]);
    expect((await run(['status'])).out).toContain(`   ${share}\n`);
  });

  it('show who has done what', async () => {
    await run(['block', 'login', '203.0.113.7', '--for', '1h', '--reason', 'flood \u202E!']);
    const { out } = await run(['audit', '--count', '1'], { token: READ_TOKEN });
    expect(out.split('\n')[1]).toMatch(/^\S+Z {3}ann {3}block policy=login key=\S{43} for=1h {3}flood \uFFFD!$/);
    expect(JSON.parse((await run(['audit', '--json'])).out).lines.at(-1)).toMatchObject({ action: 'block', by: 'ann' });
  });

  it('explain what holds now', async () => {
    const { out } = await run(['explain', '--policy', 'login']);
    expect(out).toContain(`login  ${admin.url}/\n`);
    expect(out).toContain('  minute: 5 requests a minute');
    expect((await run(['explain', '--request', 'GET /', '-H', 'x-api-key: acme', '--json'])).out).toContain('tier pro');
  });

  it('drain it', async () => {
    expect(await run(['drain', ...why])).toMatchObject({
      exitCode: 0,
      out: 'The instance drains, and stops after that.\n',
    });
  });
});

describe('a command line that is wrong', () => {
  it.each<[args: readonly string[], err: RegExp]>([
    [['block', 'login', '::1', '--for', '1h'], /required option '--reason/],
    [['block', 'login', '::1', ...why], /required option '--for/],
    [['block', 'login', '::1', '--for', 'long', ...why], /\/for must be a duration/],
    [['inspect', 'logn', '::1'], /\/policy is not in the file, which has api, login/],
    [['inspect', 'search', 'ann'], /\/key must fit the policy: it counts by {"user", "client"}/],
    [['inspect', 'search', 'ann', '--part', 'user=ann'], /either keys, or the parts/],
    [['inspect', 'search', '--part', 'user'], /name=value/],
    [['blocked', 'login', '--limit', '1001'], /whole number from 1 to 1000/],
    [['enforcement', 'shadow', ...why], /say how long/],
    [['enforcement', 'shadow', '--for', '1h'], /say why/],
    [['enforcement', '--for', '1h'], /belong to a change/],
    [['enforcement', 'aus', '--for', '1h', ...why], /Allowed choices/],
    [['explain', 'sluice.yaml'], /either a file, or a service/],
    [['explain', '--at', '2026-12-01T00:00:00Z'], /leave out --at/],
    [['explain', '--ip', '::1'], /add --request/],
    [['status', '--token', WRITE_TOKEN], /unknown option '--token'/],
  ])('%j ends with 2', async (args, message) => {
    expect(await run(args)).toEqual({ exitCode: 2, out: '', err: expect.stringMatching(message) });
  });

  it.each(['127.0.0.1:8082', 'ftp://127.0.0.1', 'http://ann:secret@127.0.0.1', 'x'])(
    'with the server %j ends with 2',
    async (server) => {
      const { exitCode, err } = await sluice(['status', '--server', server], { env: { SLUICE_TOKEN: WRITE_TOKEN } });
      expect([exitCode, err]).toEqual([2, expect.stringContaining('Write an address')]);
      expect(err).not.toContain('secret');
    },
  );
});

it('a token for a file that is explained ends with 2', async () => {
  const ended = await sluice(['explain', '--token-file', 'token']);
  expect(ended).toEqual({ exitCode: 2, out: '', err: expect.stringContaining('add --server') });
});

describe('a token', () => {
  const path = (name: string): string => join(folder, name);
  const withFile = (file: string, args: readonly string[] = ['status']) =>
    sluice([...args, '--server', admin.url, '--token-file', file]);

  it('comes from a file, also from the one that the service has written', async () => {
    writeFileSync(path('alone'), `${READ_TOKEN}\n`);
    writeFileSync(path('both'), `read ${READ_TOKEN}\nwrite ${WRITE_TOKEN}\n`);
    expect((await withFile(path('alone'))).exitCode).toBe(0);
    expect((await withFile(path('alone'), ['drain', ...why])).exitCode).toBe(3);
    expect((await withFile(path('both'), ['drain', ...why])).exitCode).toBe(0);
  });

  it.each<[what: string, exitCode: number, text: string | undefined, err: RegExp]>([
    ['a missing file', 3, undefined, /cannot read .*: there is no such file/],
    ['an empty file', 2, '', /has no token/],
    ['a file of something else', 2, 'a b c\nd e f', /has no token/],
  ])('does not come from %s', async (what, exitCode, text, err) => {
    const file = path(what.replaceAll(' ', '-'));
    if (text !== undefined) writeFileSync(file, text);
    const ended = await withFile(file);
    expect(ended).toMatchObject({ exitCode, out: '', err: expect.stringMatching(err) });
    expect(ended.err).not.toContain('d e f');
  });

  it('is needed, and has to be the right one', async () => {
    expect(await sluice(['status', '--server', admin.url])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('SLUICE_TOKEN'),
    });
    expect(await run(['status'], { token: 'another-long-token' })).toMatchObject({
      exitCode: 3,
      out: '',
      err: `error: ${admin.url}/ does not know the token\n`,
    });
    expect(await run(['drain', ...why], { token: READ_TOKEN })).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('must have a write token'),
    });
  });
});

describe('a service that cannot be asked', () => {
  it('ends the verb with 3', async () => {
    const { url } = admin;
    await admin.close();
    const { exitCode, out, err } = await sluice(['status', '--server', url], { env: { SLUICE_TOKEN: WRITE_TOKEN } });
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toBe(`error: cannot ask ${url}/: nothing listens there: is the service running?\n`);
  });

  it.each([
    ['is something else', 200, '<html>', /status 200, and no JSON/],
    ['sends elsewhere', 302, '', /redirect/],
    ['fails', 500, '{"title":"Internal Server Error"}', /Internal Server Error/],
  ])('because it %s ends the verb with 3, and gets the token once', async (_, status, body, message) => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ended = await sluice(['status', '--server', url], { env: { SLUICE_TOKEN: WRITE_TOKEN } });
    expect(ended).toMatchObject({ exitCode: 3, out: '', err: expect.stringMatching(message) });
    expect(asked).toEqual([`Bearer ${WRITE_TOKEN}`]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
