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

const SEGMENTS = ['livez', 'readyz', 'users', 'LIVEZ', '%6Civez', 'livez;v=1', '7'];

/** Paths of one to three segments, and where the mount may end. */
const PATHS: readonly string[] = [
  '',
  ...SEGMENTS.map((one) => `/${one}`),
  ...SEGMENTS.flatMap((one) => SEGMENTS.map((two) => `/${one}/${two}`)),
  '/livez/',
  '/users/7/livez',
  '/livez?livez',
  '/users/livez?/livez',
  '/users?/livez',
];

/** Paths that an application may be mounted under. Clients choose what comes behind. */
const MOUNTS = ['/users', '/api/v1', '/livez', '/users/livez'];

export const exemptionRules: SheddingRules = {
  ...Object.fromEntries(
    MOUNTS.map((mount): [string, SheddingRules[string]] => [
      `are those with the whole path of a health check, whatever a client asks under ${mount}`,
      async (fixture) => {
        const health = ['/livez', '/readyz', `${mount}/readyz`];
        await fixture.serve({ health }, undefined, { mount });
        for (const path of PATHS) {
          const before = fixture.shedder.asked.length;
          await fixture.ask(mount + path);
          const isHealth = health.includes((mount + path).split('?')[0] as string);
          // A framework that finds no route in the mounted application may not ask it.
          for (const asked of fixture.shedder.asked.slice(before)) {
            expect([mount + path, asked]).toEqual([mount + path, isHealth ? 'exempt' : 'normal']);
          }
        }
        expect(fixture.shedder.asked.length).toBeGreaterThan(PATHS.length - 3);
      },
    ]),
  ),

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
