import { expect } from '@jest/globals';
import type { SheddingOptions } from './shedding-app.js';
import { byClass, type SheddingFixture, type SheddingRules } from './shedding-fixture.js';

/** Serves with all places taken, so that everything is refused that may be. */
async function serveFull(fixture: SheddingFixture, options: SheddingOptions = {}): Promise<void> {
  await fixture.serve((requestOf) => ({ ...byClass(requestOf), ...options }));
  await fixture.hold(4);
}

async function statusesOf(fixture: SheddingFixture, paths: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) statuses.push(await fixture.statusOf(path));
  return statuses;
}

const NEARLY = ['/', '/livez/', '/livez/deep', '/livezz', '/LIVEZ', '/%6Civez', '/api/livez', '/?/livez'];

export const exemptionRules: SheddingRules = {
  'are health checks, with a query or without': async (fixture) => {
    await serveFull(fixture);
    const paths = ['/livez', '/readyz', '/readyz?verbose&exclude=etcd'];
    expect(await statusesOf(fixture, paths)).toEqual([200, 200, 200]);
    expect((await fixture.ask('/livez', { method: 'HEAD' })).status).toBe(200);
  },

  'do not include paths that only look like a health check': async (fixture) => {
    await serveFull(fixture);
    expect(await statusesOf(fixture, NEARLY)).toEqual(NEARLY.map(() => 503));
  },

  'are at the paths that you set, and only there': async (fixture) => {
    await serveFull(fixture, { health: ['/health'] });
    expect(await statusesOf(fixture, ['/health', '/livez', '/readyz'])).toEqual([200, 503, 503]);
  },

  'include no health checks with health: false': async (fixture) => {
    await serveFull(fixture, { health: false });
    expect(await statusesOf(fixture, ['/livez', '/readyz'])).toEqual([503, 503]);
  },

  'include those for which skip returns true': async (fixture) => {
    await fixture.serve((requestOf) => ({
      ...byClass(requestOf),
      skip: (...args) => requestOf(args).url === '/webhook',
    }));
    await fixture.hold(4);
    expect(await statusesOf(fixture, ['/webhook', '/other', '/webhook'])).toEqual([200, 503, 200]);
  },

  'count in flight': async (fixture) => {
    await fixture.serve((requestOf) => ({
      ...byClass(requestOf),
      skip: (...args) => requestOf(args).url === '/held',
    }));
    await fixture.hold(4);
    expect(fixture.shedder.state.inFlight).toBe(4);
    expect(fixture.shedder.asked).toEqual(['exempt', 'exempt', 'exempt', 'exempt']);
    expect(await fixture.statusOf()).toBe(503);
  },
};
