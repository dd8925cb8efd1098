import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { TestNamespace } from '../../../packages/cloudflare/test/objects.js';

jest.doMock('cloudflare:workers', () => ({ env: { LIMITS: new TestNamespace() }, waitUntil: () => {} }), {
  virtual: true,
});

type Worker = typeof import('../src/worker.js');

/** Returns how many of some requests were answered with each status. */
async function statusesOf(path: string, count: number, address: string): Promise<Record<number, number>> {
  const { default: worker }: Worker = await import('../src/worker.js');
  const statuses: Record<number, number> = {};
  for (let i = 0; i < count; i += 1) {
    const request = new Request(`https://worker.example${path}`, { headers: { 'cf-connecting-ip': address } });
    const { status } = await worker.fetch(request);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

it('Of the requests that the README sends, the last one of each command is refused', async () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const commands = [...readme.matchAll(/curl -i 'http:\/\/localhost:3000(\S*)\?\[1-(\d+)\]'/g)];
  expect(commands).toHaveLength(2);
  for (const [, path = '', count] of commands)
    expect(await statusesOf(path, Number(count), '203.0.113.6')).toEqual({ 200: Number(count) - 1, 429: 1 });
});

it('The Worker limits each address', async () => {
  expect(await statusesOf('/', 102, '203.0.113.7')).toEqual({ 200: 100, 429: 2 });
  expect(await statusesOf('/', 1, '203.0.113.8')).toEqual({ 200: 1 });
});

it('The Worker limits users, and all users of a tenant together', async () => {
  expect(await statusesOf('/reports/umbrella/ann', 12, '203.0.113.9')).toEqual({ 200: 10, 429: 2 });
  expect(await statusesOf('/reports/umbrella/bob', 10, '203.0.113.9')).toEqual({ 200: 10 });
  expect(await statusesOf('/reports/umbrella/carol', 10, '203.0.113.9')).toEqual({ 200: 5, 429: 5 });
  expect(await statusesOf('/reports/other/dave', 1, '203.0.113.9')).toEqual({ 200: 1 });
});
