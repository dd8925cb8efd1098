import { describe, expect, it } from '@jest/globals';
import { LoggedRequest } from '../../src/log/logged-request.js';
import { StartOrder } from '../../src/log/start-order.js';

const START_MS = Date.UTC(2026, 10, 22);

/** A request that began and whose line was written so many milliseconds after the start. */
const request = (beganMs: number, writtenMs: number): LoggedRequest =>
  new LoggedRequest(START_MS + beganMs, START_MS + writtenMs, 'GET', '/', undefined, 200, {}, [], true, true);

/** Returns the times in the order of visits, and how many requests were late. */
function visited(requests: readonly LoggedRequest[], most = 1000) {
  const seen: number[] = [];
  const seconds: number[] = [];
  const order = new StartOrder({ leastMs: 2000, mostMs: 10_000, most }, (second, held) => {
    seconds.push(second - START_MS / 1000);
    seen.push(...held.map(({ atMs }) => atMs - START_MS));
  });
  for (const each of requests) order.add(each);
  order.end();
  return { seen, seconds, late: order.late, ...(order.misplaced > 0 && { misplaced: order.misplaced }) };
}

describe('requests in the order in which they began', () => {
  it('come second by second, sorted', () => {
    const lines = [request(900, 950), request(100, 1000), request(1500, 1600), request(400, 1700)];
    expect(visited(lines)).toEqual({ seen: [100, 400, 900, 1500], seconds: [0, 1], late: 0 });
  });

  it('are held back for longer after a long one', () => {
    const lines = [
      request(0, 1500),
      request(3000, 3100),
      request(6500, 6600),
      request(2800, 6700),
      request(9000, 9001),
    ];
    expect(visited(lines)).toEqual({ seen: [0, 2800, 3000, 6500, 9000], seconds: [0, 2, 3, 6, 9], late: 0 });
  });

  it('that come too late are counted where the log is, and told', () => {
    const lines = [request(0, 1), request(30_000, 30_001), request(60_000, 60_001), request(100, 60_002)];
    expect(visited(lines)).toEqual({ seen: [0, 30_000, 31_000, 60_000], seconds: [0, 30, 31, 60], late: 1 });
  });

  it('are left out, and told, if they were written long before one above them', () => {
    const early = [0, 500, 9000].map((ms) => request(ms, ms + 1));
    const lines = [request(30_000, 30_001), request(60_000, 60_001), ...early, request(55_000, 55_001)];
    expect(visited(lines)).toEqual({ seen: [30_000, 55_000, 60_000], seconds: [30, 55, 60], late: 0, misplaced: 3 });
  });

  it('are not held back without bound', () => {
    const lines = Array.from({ length: 100 }, (_, i) => request(i * 100, 9900));
    const { seen, late } = visited(lines, 20);
    expect({ seen, late }).toEqual({ seen: lines.map(({ atMs }) => atMs - START_MS), late: 0 });
  });

  it('keep the order of their lines if they began in the same millisecond', () => {
    const lines = ['/a', '/b', '/c'].map((url) => Object.assign(request(5, 6), { url }));
    const urls: string[] = [];
    const order = new StartOrder({ leastMs: 0, mostMs: 0, most: 10 }, (_, held) =>
      urls.push(...held.map(({ url }) => url)),
    );
    for (const each of lines) order.add(each);
    order.end();
    expect(urls).toEqual(['/a', '/b', '/c']);
  });
});
