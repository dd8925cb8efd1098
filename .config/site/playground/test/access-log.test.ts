import { describe, expect, it } from '@jest/globals';
import { run } from '../model/run.js';
import { DEFAULT_LIMIT, defaultState } from '../model/state.js';
import { trafficOf } from '../model/traffic.js';

const LINE = (ip: string, second: string) =>
  `${ip} - - [22/Nov/2026:19:00:${second} +0000] "GET /v1/items HTTP/1.1" 200 512 "-" "curl/8"`;

const COMBINED = [LINE('203.0.113.7', '01'), LINE('2001:db8::1', '01'), LINE('203.0.113.7', '03'), 'nothing'].join(
  '\n',
);

describe('A pasted access log', () => {
  it('is the traffic, with the addresses as clients', () => {
    const { clients, arrivals, columnMs, unread } = trafficOf({ ...defaultState(), log: COMBINED });
    expect(clients.map(({ name }) => name)).toEqual(['203.0.113.7', '2001:db8::1']);
    expect(arrivals).toEqual([
      { atMs: 0, client: 0 },
      { atMs: 500, client: 1 },
      { atMs: 2000, client: 0 },
    ]);
    expect(columnMs).toBe(1000);
    expect(unread).toBe(1);
  });

  it('may be JSON, with letters of all languages', () => {
    const line = (atMs: number) =>
      JSON.stringify({ time: atMs, req: { method: 'GET', url: '/käse', remoteAddress: '192.0.2.9' } });
    const log = [line(1_763_838_044_250), line(1_763_838_045_000)].join('\r\n');
    expect(trafficOf({ ...defaultState(), log }).arrivals.map(({ atMs }) => atMs)).toEqual([250, 1000]);
  });

  it('is decided by address', async () => {
    const state = { ...defaultState(), log: COMBINED, limits: [{ ...DEFAULT_LIMIT, quota: 1, window: '1m' }] };
    const { outcomes } = await run(state);
    expect(outcomes.map(({ fate }) => fate)).toEqual(['admitted', 'admitted', 'refused']);
  });

  it('says what it lacks', () => {
    expect(trafficOf({ ...defaultState(), log: 'hello' }).problem).toContain('combined');
  });
});
