import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { createShedder } from '@sluice/core/load';
import { ManualClock } from '@sluice/core/testing';
import { HandDrivenLoop } from '@sluice/test-kit/hand-driven-loop';
import { createApp } from '../src/app.js';

const PREFETCH = { 'sec-purpose': 'prefetch' };

let server: Server;
let loop: HandDrivenLoop;

beforeEach(async () => {
  loop = new HandDrivenLoop();
  const shedder = createShedder({ name: 'shop', eventLoop: loop, loop: { target: '10ms' }, inFlight: false });
  const app = createApp({ shedder, store: new MemoryStore({ clock: new ManualClock() }) });
  server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** Asks for prefetched pages in turns that take 60 ms each, until one of them is refused. */
async function overload(): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    loop.turn(60);
    const { status } = await ask('/products/7', { ...PREFETCH, 'x-customer': `crawler ${i}` });
    if (status === 503) return;
  }
  throw new Error('nothing was refused');
}

describe('The shop', () => {
  it('names a mistake of a client, without a stack', async () => {
    const { status, body } = await ask('/products/%');
    expect([status, Object.keys(body)]).toEqual([400, ['type', 'title', 'status', 'detail']]);
    expect(JSON.stringify(body)).not.toContain('node_modules');
  });

  it('shows the whole page, and advertises the limit, while it is calm', async () => {
    const { status, headers, body } = await ask('/products/7', { 'x-customer': 'ann' });
    expect([status, body]).toEqual([200, { id: '7', related: ['a lamp', 'a chair'] }]);
    expect(headers.get('ratelimit')).toMatch(/r=\d+/);
  });

  it('refuses prefetched pages first when it is overloaded, and asks no limit about them', async () => {
    await overload();
    loop.turn(60);
    const { status, headers, body } = await ask('/products/7', { ...PREFETCH, 'x-customer': 'bob' });
    expect([status, body.type.split('#')[1]]).toEqual([503, 'temporary-reduced-capacity']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
  });

  it('shows a smaller page, and still takes orders', async () => {
    await overload();
    loop.turn(1);
    loop.turn(1);
    expect(await ask('/products/7', { 'x-customer': 'ann' })).toMatchObject({ status: 200, body: { related: [] } });
    expect((await ask('/checkout', { 'x-customer': 'ann' }, 'POST')).status).toBe(200);
  });

  it('answers health checks whatever happens', async () => {
    await overload();
    for (let i = 0; i < 20; i += 1) {
      loop.turn(500);
      expect((await ask(i % 2 ? '/livez' : '/readyz')).status).toBe(200);
    }
  });

  it('holds customers to their limit as soon as anything is shed, and lets them have more before', async () => {
    const admitted = async (customer: string): Promise<number> => {
      let count = 0;
      for (let i = 0; i < 45; i += 1) {
        loop.turn(1, 1);
        if ((await ask('/checkout', { 'x-customer': customer }, 'POST')).status === 200) count += 1;
      }
      return count;
    };
    expect(await admitted('ann')).toBe(40);
    await overload();
    const shed = await ask('/checkout', { 'x-customer': 'ann' }, 'POST');
    expect(shed.status).toBe(429);
  });
});
