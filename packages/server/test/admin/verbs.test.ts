import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashedCustomer } from '@sluice/config';
import { headerKey } from '@sluice/core/http';
import { encodeKey, hash } from '@sluice/core/values';
import { FILE, READ_TOKEN, RunningAdmin, WRITE_TOKEN } from './running-admin.js';

let admin: RunningAdmin;
let drained = 0;

beforeEach(async () => {
  drained = 0;
  admin = await RunningAdmin.start({
    drain: async () => {
      drained += 1;
    },
  });
});

afterEach(async () => {
  expect(admin.reported).toEqual([]);
  await admin.close();
});

const SECRET = 'sk-live-51Hc0ffee';
const shownHash = hash(encodeKey(headerKey('x-api-key', SECRET)));
const withKey = (key: string) => ({ headers: { 'x-api-key': key } });

describe('inspect', () => {
  it('shows what each limit of the key says, and spends nothing', async () => {
    await admin.ask('api', withKey('acme'));
    for (let i = 0; i < 2; i += 1) {
      expect((await admin.post('inspect', { policy: 'api', key: 'acme' }, READ_TOKEN)).body).toEqual({
        policy: 'api',
        key: hash(encodeKey(headerKey('x-api-key', 'acme'))),
        limits: [
          expect.objectContaining({ limit: 'minute', tier: 'pro', quota: 30, used: 1, remaining: 29, allowed: true }),
        ],
      });
    }
    const { body } = await admin.post('inspect', { policy: 'api', key: { address: '203.0.113.7' } });
    expect(body.limits).toMatchObject([{ limit: 'address', used: 1 }]);
  });

  it('shows a block, who has set it, and why', async () => {
    await admin.post('block', { policy: 'api', key: SECRET, for: '1h', reason: 'scraping' });
    const { body } = await admin.post('inspect', { policy: 'api', key: hashedCustomer(SECRET) });
    expect(body).toMatchObject({
      key: shownHash,
      block: { by: 'admin', reason: 'scraping', until: expect.stringMatching(/^\d{4}-.*Z$/) },
      note: expect.stringContaining('not its hash'),
    });
    expect((await admin.post('inspect', { policy: 'api', key: SECRET })).body.limits).toMatchObject([
      { limit: 'minute', tier: 'free', allowed: false, blocked: true },
    ]);
  });

  it('says that the file refuses the customer', async () => {
    const { body } = await admin.post('inspect', { policy: 'api', key: 'mallory' });
    expect(body).toMatchObject({ refused: { status: 403, detail: 'This customer is blocked.' }, limits: [] });
  });

  it('finds keys from code, and compound ones', async () => {
    await admin.ask('search', { keys: { user: 7 }, ip: '203.0.113.7' });
    const used = async (key: unknown) => (await admin.post('inspect', { policy: 'search', key })).body.limits[0].used;
    expect(await used({ user: 7, client: '203.0.113.7' })).toBe(1);
    expect(await used({ user: '7', client: '203.0.113.7' })).toBe(0);
    expect((await admin.post('inspect', { policy: 'all' })).body.limits).toMatchObject([{ limit: 'second' }]);
  });
});

describe('the tier of an inspection', () => {
  it('is that of the code, and a mistake elsewhere', async () => {
    const { status, body } = await admin.post('inspect', { policy: 'api', key: 'acme', tier: 'free' });
    expect([status, body.detail]).toEqual([400, '/tier must be absent: the policy does not take it from code']);
    const tier = '{ from: code, default: free }';
    admin.source.text = `${FILE}  plan: { key: user, tier: ${tier}, limits: [{ name: minute, tier: true }] }\n`;
    expect((await admin.post('reload', { reason: 'tiers from code' })).body.outcome).toBe('applied');
    const tierFor = async (input: object) =>
      (await admin.post('inspect', { policy: 'plan', key: 'ann', ...input })).body.limits[0].tier;
    expect([await tierFor({}), await tierFor({ tier: 'pro' })]).toEqual(['free', 'pro']);
  });
});

describe('reset', () => {
  it('forgets what a key has spent', async () => {
    for (let i = 0; i < 3; i += 1) await admin.ask('api', withKey(SECRET));
    expect((await admin.ask('api', withKey(SECRET))).allowed).toBe(false);
    const { body } = await admin.post('reset', { policy: 'api', key: SECRET, reason: 'ticket 7' });
    expect(body).toEqual({ policy: 'api', key: shownHash, found: true });
    expect((await admin.ask('api', withKey(SECRET))).allowed).toBe(true);
    const again = await admin.post('reset', { policy: 'api', key: 'acme', reason: 'ticket 7' });
    expect(again.body.found).toBe(false);
  });
});

describe('block and unblock', () => {
  it('refuse a key until it is lifted', async () => {
    const { body } = await admin.post('block', { policy: 'api', key: SECRET, for: 'forever', reason: 'scraping' });
    expect(body).toMatchObject({ key: shownHash, block: { until: 'forever', by: 'admin' } });
    const { allowed, refusal } = await admin.ask('api', withKey(SECRET));
    expect([allowed, refusal?.status]).toEqual([false, 403]);
    const lifted = await admin.post('unblock', { policy: 'api', key: SECRET, reason: 'they have paid' });
    expect(lifted.body).toEqual({ policy: 'api', key: shownHash, found: true });
    expect((await admin.ask('api', withKey(SECRET))).allowed).toBe(true);
  });

  it.each<[what: string, input: object, detail: RegExp]>([
    ['no reason', { for: '1h' }, /^\/reason is required$/],
    ['an empty reason', { for: '1h', reason: ' ' }, /^\/reason must be text of 1 to 256 characters/],
    ['two lines of reason', { for: '1h', reason: 'a\nb' }, /^\/reason must be text .* without control characters/],
    ['no length', { reason: 'x' }, /^\/for is required$/],
    ['a wrong length', { for: '1 hour', reason: 'x' }, /^\/for must be a duration/],
    ['an unknown member', { for: '1h', reason: 'x', why: 'y' }, /^\/why is not known here/],
    ['the key in the reason', { for: '1h', reason: `${SECRET} scrapes` }, /^\/reason must not contain the key/],
  ])('with %s are 400, and nothing is blocked', async (_, input, detail) => {
    const { status, body, text } = await admin.post('block', { policy: 'api', key: SECRET, ...input });
    expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)]);
    expect(text).not.toContain(SECRET);
    expect((await admin.post('blocked', { policy: 'api' })).body.blocked).toEqual([]);
    expect(admin.audit.some((line) => line.includes('"block"'))).toBe(false);
  });

  it('of a policy that the file does not have are 404', async () => {
    const { status, body } = await admin.post('block', { policy: 'apy', key: 'a', for: '1h', reason: 'x' });
    expect([status, body.detail]).toEqual([404, '/policy is not in the file, which has api, login, search, all']);
  });
});

describe('blocked', () => {
  it('lists who is blocked page by page, and shows a key only if it was blocked so', async () => {
    for (const [key, reveal] of [
      ['203.0.113.1', false],
      ['203.0.113.2', true],
      ['203.0.113.3', false],
    ] as const) {
      await admin.post('block', { policy: 'login', key, for: `${key.slice(-1)}h`, reason: 'flood', reveal });
    }
    const first = (await admin.post('blocked', { policy: 'login', limit: 2 }, READ_TOKEN)).body;
    expect(first.blocked).toMatchObject([
      { key: expect.stringMatching(/^[\w-]{43}$/), reason: 'flood', by: 'admin' },
      { key: '203.0.113.2' },
    ]);
    const second = (await admin.post('blocked', { policy: 'login', limit: 2, cursor: first.cursor })).body;
    expect(second).toEqual({ policy: 'login', blocked: [expect.objectContaining({ strikes: 0 })] });
    const wrong = await admin.post('blocked', { policy: 'login', cursor: 'x' });
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('cursor must be')]);
  });
});

describe('top', () => {
  it('lists the keys that are refused most, hashed unless they are revealed', async () => {
    for (let i = 0; i < 9; i += 1) await admin.ask('api', withKey(SECRET));
    for (let i = 0; i < 7; i += 1) await admin.ask('login', { ip: '198.51.100.4' });
    const { body } = await admin.post('top', {}, READ_TOKEN);
    expect(body).toEqual({
      refusals: 8,
      keys: [
        { policy: 'api', limit: 'minute', key: shownHash, refusals: 6, maxError: 0 },
        { policy: 'login', limit: 'minute', key: expect.stringMatching(/^[\w-]{43}$/), refusals: 2, maxError: 0 },
      ],
    });
    const { body: revealed } = await admin.post('top', { reveal: true });
    expect(revealed.keys.map(({ key }: { key: string }) => key)).toEqual([hashedCustomer(SECRET), '198.51.100.4']);
    const shown = revealed.keys[0].key;
    expect((await admin.post('block', { policy: 'api', key: shown, for: '1m', reason: 'flood' })).body.key).toBe(
      shownHash,
    );
    expect((await admin.post('top', { policy: 'login', count: 1 })).body.keys).toHaveLength(1);
  });
});

describe('explain', () => {
  it('says in sentences what holds for a customer', async () => {
    const { body } = await admin.post('explain', { policy: 'api', customer: 'acme' }, READ_TOKEN);
    expect(body.policies).toHaveLength(1);
    expect(body.policies[0].limits[0].text).toContain('30 requests a minute');
    const { body: ofRequest } = await admin.post('explain', {
      request: { path: '/v1', headers: { 'X-API-Key': 'mallory' } },
    });
    expect(JSON.stringify(ofRequest.policies)).toContain('blocked');
  });
});

describe('enforcement', () => {
  it('is shown, set for some time, and cleared', async () => {
    expect((await admin.post('enforcement', {}, READ_TOKEN)).body).toEqual({ mode: 'on' });
    const { body } = await admin.post('enforcement/set', { mode: 'shadow', for: '1h', reason: 'incident 4' });
    expect(body).toEqual({ mode: 'shadow', by: 'ann', until: expect.any(String), reason: 'incident 4' });
    for (let i = 0; i < 9; i += 1) expect((await admin.ask('login', {})).allowed).toBe(true);
    expect((await admin.post('enforcement/clear', { reason: 'over' })).body).toEqual({ mode: 'on' });
    expect((await admin.ask('login', {})).allowed).toBe(false);
  });

  it.each([
    { mode: 'off', reason: 'x' },
    { mode: 'off', for: '1h' },
    { mode: 'aus', for: '1h', reason: 'x' },
    { mode: 'off', for: '8d', reason: 'x' },
  ])('cannot be set by %j', async (input) => {
    expect((await admin.post('enforcement/set', input)).status).toBe(400);
  });
});

describe('reload', () => {
  it('applies a new file, and says why one is rejected', async () => {
    admin.source.text = FILE.replace('limit: 5,', 'limit: 6,');
    expect((await admin.post('reload', { reason: 'more room' })).body).toMatchObject({ outcome: 'applied' });
    admin.source.text = 'version: 2';
    const { status, body } = await admin.post('reload', { reason: 'a mistake' });
    expect([status, body.outcome]).toEqual([200, 'rejected']);
    expect(body.mistakes[0]).toMatchObject({ line: 1, message: expect.any(String) });
    expect((await admin.post('status', {}, READ_TOKEN)).body).toMatchObject({
      ready: true,
      enforcement: { mode: 'on' },
      lastReload: { successful: false },
      rejected: { mistakes: body.mistakes },
      policies: expect.arrayContaining([
        expect.objectContaining({ policy: 'api', keys: [['customer'], ['address']], braked: false }),
        expect.objectContaining({ policy: 'search', keys: [['user', 'client']] }),
      ]),
    });
  });
});

describe('audit', () => {
  it('has a line for every write, with who, what and why', async () => {
    await admin.post('block', { policy: 'api', key: SECRET, for: '1h', reason: 'scraping' });
    await admin.post('unblock', { policy: 'api', key: SECRET, reason: 'a mistake' });
    await admin.post('reset', { policy: 'api', key: SECRET, reason: 'a gift' });
    await admin.post('enforcement/set', { mode: 'shadow', for: '1h', reason: 'incident' });
    await admin.post('enforcement/clear', { reason: 'over' });
    await admin.post('reload', { reason: 'new file' });
    await admin.post('drain', { reason: 'deploy' });
    const { body } = await admin.post('audit', {}, READ_TOKEN);
    expect(body.lines).toEqual(admin.audit.map((line): unknown => JSON.parse(line)));
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const by = 'ann';
    const key = shownHash;
    expect(body.lines.filter(({ action }: { action?: string }) => action !== undefined)).toEqual([
      { at, action: 'block', by, reason: 'scraping', outcome: 'done', policy: 'api', key, for: '1h' },
      { at, action: 'unblock', by, reason: 'a mistake', outcome: 'done', policy: 'api', key, found: true },
      { at, action: 'reset', by, reason: 'a gift', outcome: 'done', policy: 'api', key, found: false },
      { at, action: 'enforcement/set', by, reason: 'incident', outcome: 'done', mode: 'shadow', for: '1h' },
      { at, action: 'enforcement/clear', by, reason: 'over', outcome: 'done' },
      { at, action: 'reload', by, reason: 'new file', outcome: 'unchanged', revision: admin.service.live.revision },
      { at, action: 'drain', by, reason: 'deploy', outcome: 'done' },
    ]);
    expect((await admin.post('audit', { count: 1 })).body.lines).toHaveLength(1);
  });

  it('has neither keys nor tokens', async () => {
    await admin.post('block', { policy: 'api', key: SECRET, for: '1h', reason: 'scraping', reveal: true });
    await admin.post('inspect', { policy: 'api', key: SECRET });
    await admin.post('block', { policy: 'login', key: '198.51.100.77', for: '1h', reason: 'flood' });
    await admin.post('block', { policy: 'login', key: SECRET, for: '1h', reason: 'x' });
    await admin.post('block', { policy: 'api', key: SECRET }, 'a-token-that-nobody-has');
    const lines = admin.audit.join('');
    expect(lines).toContain(shownHash);
    for (const text of [SECRET, '198.51.100.77', WRITE_TOKEN, READ_TOKEN, 'a-token-that-nobody-has']) {
      expect(lines).not.toContain(text);
    }
  });
});

describe('drain', () => {
  it('begins when the answer is sent', async () => {
    expect((await admin.post('drain', { reason: 'deploy' })).body).toEqual({ draining: true });
    await new Promise(setImmediate);
    expect(drained).toBe(1);
    expect((await admin.post('drain', {})).status).toBe(400);
    expect(drained).toBe(1);
  });
});

describe('while no limit is asked', () => {
  it('keys are blocked, reset and shown all the same, and stay so when limits are asked again', async () => {
    for (let i = 0; i < 5; i += 1) await admin.ask('login', { ip: '198.51.100.4' });
    await admin.post('enforcement/set', { mode: 'off', for: '1h', reason: 'incident' });
    const { body } = await admin.post('block', { policy: 'login', key: '203.0.113.7', for: '1h', reason: 'flood' });
    expect(body.block).toMatchObject({ by: 'admin' });
    const looked = await admin.post('inspect', { policy: 'login', key: '198.51.100.4' });
    expect(looked.body.limits).toMatchObject([{ limit: 'minute', quota: 'unlimited', remaining: 'unlimited' }]);
    const reset = await admin.post('reset', { policy: 'login', key: '198.51.100.4', reason: 'a gift' });
    expect(reset.body.found).toBe(true);
    await admin.post('enforcement/clear', { reason: 'over' });
    expect((await admin.ask('login', { ip: '203.0.113.7' })).allowed).toBe(false);
    expect((await admin.ask('login', { ip: '198.51.100.4' })).allowed).toBe(true);
  });
});
