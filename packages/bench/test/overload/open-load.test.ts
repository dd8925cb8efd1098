import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closedLoad } from '../../src/overload/closed-load.js';
import { ConnectionPool } from '../../src/overload/connection-pool.js';
import { openLoad } from '../../src/overload/open-load.js';
import type { Outcome } from '../../src/overload/outcome.js';
import { PRIORITY_FIELD } from '../../src/overload/protection.js';

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(listener: RequestListener): Promise<number> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function outcomeOf(port: number, perSecond: number, seconds: number): Promise<Outcome> {
  const pool = await poolOf(port, 20);
  const { outcomes } = await openLoad({ pool, seed: 7, phases: [{ perSecond, seconds, settleSeconds: 0 }] });
  pool.close();
  return outcomes[0] as Outcome;
}

async function poolOf(port: number, connections: number): Promise<ConnectionPool> {
  const pool = new ConnectionPool(port);
  await pool.open(connections);
  return pool;
}

describe('The open load', () => {
  it('has a fifth of critical requests and three of low priority in ten, and tells served from shed ones', async () => {
    const seen = { critical: 0, normal: 0, low: 0 };
    const port = await serve((req, res) => {
      const priority = req.headers[PRIORITY_FIELD] as keyof typeof seen;
      seen[priority] += 1;
      res.statusCode = priority === 'low' ? 503 : 200;
      res.end('done');
    });
    const { shed, shedOf, offeredPerSecond } = await outcomeOf(port, 500, 2);
    const all = seen.critical + seen.normal + seen.low;
    expect(offeredPerSecond * 2).toBe(all);
    expect(Math.abs(all - 1_000)).toBeLessThan(150);
    expect(seen.critical / all).toBeCloseTo(0.2, 1);
    expect(seen.low / all).toBeCloseTo(0.3, 1);
    expect(shed).toBe(seen.low / all);
    expect(shedOf).toEqual({ critical: 0, normal: 0, low: 1 });
  });

  it('sends on while nothing is answered, and counts the wait of each request from its scheduled time', async () => {
    const waiting: (() => void)[] = [];
    let isBusy = true;
    const port = await serve((_req, res) => {
      if (waiting.length === 0 && isBusy) {
        setTimeout(() => {
          isBusy = false;
          for (const answer of waiting) answer();
        }, 400);
      }
      if (isBusy) waiting.push(() => res.end('done'));
      else res.end('done');
    });
    const { p50Ms } = await outcomeOf(port, 500, 0.4);
    // Clients that waited for their answers would have sent a few requests, and all others would have looked quick.
    expect(waiting.length).toBeGreaterThan(40);
    expect(p50Ms).toBeGreaterThan(100);
  });

  it('gives up an answer that never comes', async () => {
    const port = await serve(() => {});
    const { good, shed, p50Ms } = await outcomeOf(port, 50, 0.2);
    expect({ good, shed, p50Ms }).toEqual({ good: 0, shed: 0, p50Ms: 2_000 });
  });
});

describe('The closed load', () => {
  it('keeps as many requests under way as there are clients', async () => {
    let [underWay, most] = [0, 0];
    const port = await serve((_req, res) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setTimeout(() => {
        underWay -= 1;
        res.end('done');
      }, 5);
    });
    const pool = await poolOf(port, 10);
    const perSecond = await closedLoad({ pool, clients: 4, seconds: 0.3, settleSeconds: 0.1, status: 200 });
    pool.close();
    expect(most).toBe(4);
    // Four clients, and at least 5 ms for each answer.
    expect(perSecond).toBeLessThan(900);
    expect(perSecond).toBeGreaterThan(0);
  });

  it('fails if the server does', async () => {
    const port = await serve((_req, res) => {
      res.statusCode = 500;
      res.end();
    });
    const pool = await poolOf(port, 1);
    const load = { pool, clients: 1, seconds: 0.1, settleSeconds: 0 };
    await expect(closedLoad({ ...load, status: 200 })).rejects.toThrow('Instead of 200, the answer was 500');
    await closedLoad({ ...load, status: undefined });
    pool.close();
  });
});
