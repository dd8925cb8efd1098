import { expect } from '@jest/globals';
import { byClass, type SheddingRules } from './shedding-fixture.js';

export const refusalRules: SheddingRules = {
  'gets 503 with a problem, a wait of 1 to 3 seconds, and no fields about limits': async (fixture) => {
    await fixture.serve(byClass);
    await fixture.hold(4);
    const { status, headers, body } = await fixture.ask('/', { headers: { 'x-class': 'critical' } });
    expect(status).toBe(503);
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'retry-after': expect.stringMatching(/^[123]$/),
    });
    expect(JSON.parse(body)).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      title: 'Temporary Reduced Capacity',
      status: 503,
      detail: expect.any(String),
    });
    expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
    expect(headers.connection).not.toBe('close');
    expect(fixture.handled).toHaveLength(4);
  },

  'gets a Retry-After that is chosen at random': async (fixture) => {
    const numbers = [0, 0.333, 0.334, 0.667, 0.999];
    await fixture.serve((requestOf) => ({ ...byClass(requestOf), random: () => numbers.shift() ?? Number.NaN }));
    await fixture.hold(4);
    const waits: unknown[] = [];
    for (let i = 0; i < 6; i += 1) waits.push((await fixture.ask()).headers['retry-after']);
    // A function that returns no number does not break the response.
    expect(waits).toEqual(['1', '1', '2', '3', '3', '1']);
  },

  'has the same fields for HEAD, without the body': async (fixture) => {
    await fixture.serve((requestOf) => ({ ...byClass(requestOf), random: () => 0 }));
    await fixture.hold(4);
    const [get, head] = [await fixture.ask(), await fixture.ask('/', { method: 'HEAD' })];
    const { date: _, ...fields } = get.headers;
    expect(head).toMatchObject({ status: 503, body: '', headers: fields });
  },

  'is reported to onShed, which changes nothing': async (fixture) => {
    const shed: string[] = [];
    await fixture.serve((requestOf) => ({
      ...byClass(requestOf),
      onShed: (...args) => void shed.push(requestOf(args).url),
    }));
    await fixture.ask('/admitted');
    await fixture.hold(4);
    expect(await fixture.statusOf('/refused?now')).toBe(503);
    expect(shed).toEqual(['/refused?now']);
  },

  'is followed by admitted requests when there is room again': async (fixture) => {
    await fixture.serve(byClass);
    await fixture.hold(4);
    expect(await fixture.statusOf()).toBe(503);
    fixture.release();
    await fixture.idle();
    expect(await fixture.statusOf()).toBe(200);
  },
};
