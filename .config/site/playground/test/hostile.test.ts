import { describe, expect, it } from '@jest/globals';
import { transformSync } from 'esbuild';
import { codeOf } from '../model/code.js';
import { hashOf, stateOf } from '../model/link.js';
import { policyFileOf } from '../model/policy-file.js';
import { run } from '../model/run.js';
import {
  type ClientState,
  DEFAULT_CLIENT,
  DEFAULT_LIMIT,
  defaultState,
  type LimitState,
  type State,
} from '../model/state.js';
import { columnsOf, trafficOf } from '../model/traffic.js';
import { worstWindows } from '../model/worst-window.js';

/** Does with a link all that the page does with it, and returns what the page says is wrong. */
async function opened(hash: string): Promise<string | undefined> {
  const state = stateOf(hash) ?? defaultState();
  const played = await run(state);
  for (const client of state.clients) columnsOf(client, state);
  expect(stateOf(hashOf(state))).toBeDefined();
  if (played.problem !== undefined) return played.problem;
  worstWindows(state, played);
  transformSync(codeOf(state, played.traffic.clients), { loader: 'ts' });
  policyFileOf(state, played.traffic.clients);
  return undefined;
}

const linkTo = (text: string): string => `#${encodeURIComponent(text).replaceAll("'", '%27')}`;
const withClient = (client: string): string => linkTo(`{"limits":[{}],"clients":[${client}]}`);
const withLimit = (limit: string, others = ''): string => linkTo(`{"limits":[${limit}]${others}}`);

describe('A link of a stranger', () => {
  it.each([
    ['objects as numbers', withClient('{"pattern":"drawn","drawn":[{"toString":1},null,"3",[4],{}]}')],
    ['numbers without end', withClient('{"rate":1e999,"size":1e999,"every":1e999,"runs":1e999}')],
    ['numbers below zero', withClient('{"pattern":"bursts","rate":-1,"size":-1,"every":-1,"runs":-1000}')],
    ['bursts of nobody', linkTo('{"limits":[{}],"span":86400,"clients":[{"pattern":"bursts","size":0,"every":0}]}')],
    ['a bucket that fills in centuries', withLimit('{"algorithm":"token-bucket","quota":10000,"rate":1e-6}')],
    ['a bucket that never fills', withLimit('{"algorithm":"token-bucket","rate":0}')],
    [
      'names that objects have',
      linkTo('{"limits":[{"__proto__":{"quota":1}}],"__proto__":{"span":300},"constructor":1}'),
    ],
    ['text in code', withClient('{"name":"</script><img src=x onerror=alert(1)>"}')],
  ])('does no harm by %s', async (_, hash) => {
    expect(await opened(hash)).toBeUndefined();
  });

  it.each([
    ['a limit without end', withLimit('{"quota":1e999}')],
    ['a window of text', withLimit(`{"window":"1m'});process.exit();//"}`)],
    ['a zone of text', withLimit('{"algorithm":"fixed-window","align":"calendar","timeZone":"\\n- x: 1"}')],
    ['a wait of text', withLimit('{}', `,"maxWait":"';"`)],
    ['a cost of half a unit', withClient('{"rate":0,"cost":0.5}')],
    ['a cost below zero', withClient('{"cost":-1}')],
    ['a cost below zero while requests wait', withLimit('{"quota":1}', ',"maxWait":"5s","clients":[{"cost":-1}]')],
    ['a cost below zero in a line', withLimit('{"algorithm":"leaky-bucket"}', ',"clients":[{"cost":-1}]')],
  ])('says what is wrong with %s', async (_, hash) => {
    expect(await opened(hash)).toMatch(/must|cost/);
  });
});

const LINE = (ip: string) => `${ip} - - [22/Nov/2026:19:00:01 +0000] "GET / HTTP/1.1" 200 512 "-" "curl/8"`;
const stateWith = (log: string, limit: Partial<LimitState>): State => ({
  ...defaultState(),
  log,
  limits: [{ ...DEFAULT_LIMIT, ...limit }],
});

describe('A log of a large site', () => {
  it('has more addresses than a call has arguments', async () => {
    const addresses = Array.from({ length: 130_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    const state = stateWith(addresses.map(LINE).join('\n'), { quota: 1 });
    const played = await run(state, false);
    expect(played.outcomes.length).toBe(5000);
    expect(worstWindows(state, played)).toMatchObject([{ measured: 1, bound: 1 }]);
    expect(policyFileOf(state, played.traffic.clients)).toContain('limit: 1');
  });

  it('forgets no address that has used its limit', async () => {
    const addresses = Array.from({ length: 1500 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    const { outcomes } = await run(
      stateWith([...addresses, ...addresses].map(LINE).join('\n'), { quota: 1, window: '1h' }),
      false,
    );
    expect(outcomes.filter(({ fate }) => fate === 'admitted').length).toBe(1500);
  });

  it('counts the addresses of an IPv6 network together, as the limit does', async () => {
    const log = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db9::1'].map(LINE).join('\n');
    const state = stateWith(log, { quota: 2, window: '1h' });
    const played = await run(state, false);
    expect(played.outcomes.map(({ fate }) => fate)).toEqual(['admitted', 'admitted', 'refused', 'admitted']);
    expect(worstWindows(state, played)).toMatchObject([{ measured: 2, bound: 2 }]);
  });

  it.each(['unknown', '__proto__', 'constructor', 'client.example.com', '::ffff:192.0.2.1', '[2001:db8::1]:443'])(
    'may name a client %s',
    async (ip) => {
      const { outcomes, problem } = await run(stateWith([ip, ip].map(LINE).join('\n'), { quota: 1, window: '1h' }));
      expect(problem).toBeUndefined();
      expect(outcomes.map(({ fate }) => fate)).toEqual(['admitted', 'refused']);
    },
  );
});

describe('A client at the edge of a window', () => {
  const edge: ClientState = { ...DEFAULT_CLIENT, pattern: 'edge', size: 5 };
  const halfOf = (limit: Partial<LimitState>, span: State['span'] = 86_400): number | undefined =>
    trafficOf({ ...defaultState(), span, clients: [edge], limits: [{ ...DEFAULT_LIMIT, ...limit }] }).arrivals.at(6)
      ?.atMs;

  it.each([
    ['of a fixed length', { algorithm: 'fixed-window', window: '7s' }, 7000],
    // The traffic begins 8 s after a multiple of 11 s.
    ['by the clock', { algorithm: 'fixed-window', align: 'clock', window: '11s' }, 3000],
    ['by the calendar', { algorithm: 'fixed-window', align: 'calendar', unit: 'hour', window: '10s' }, 3_600_000],
    [
      'by the calendar of a zone',
      { algorithm: 'fixed-window', align: 'calendar', unit: 'day', timeZone: 'Europe/Rome' },
      23 * 3_600_000,
    ],
  ] as const)('knows when a window ends %s', (_, limit, ms) => {
    expect(halfOf(limit)).toBe(ms);
  });
});
