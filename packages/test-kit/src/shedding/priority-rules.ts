import { expect } from '@jest/globals';
import type { SheddingOptions } from './shedding-app.js';
import { byClass, type SheddingFixture, type SheddingRules } from './shedding-fixture.js';

async function askedWith(fixture: SheddingFixture, options: SheddingOptions, stated: string): Promise<unknown> {
  await fixture.serve(options);
  await fixture.ask('/', { headers: { 'sluice-priority': stated } });
  return fixture.shedder.asked[0];
}

export const priorityRules: SheddingRules = {
  'decides who is refused first: low, then normal, then critical': async (fixture) => {
    await fixture.serve(byClass);
    const classes = ['low', 'normal', 'critical'];
    const rows: number[][] = [];
    for (let inFlight = 0; inFlight < 5; inFlight += 1) {
      const row: number[] = [];
      for (const name of classes) row.push(await fixture.statusOf('/', { 'x-class': name }));
      rows.push(row);
      if (inFlight < 4) await fixture.hold(1);
    }
    expect(rows).toEqual([
      [200, 200, 200],
      [200, 200, 200],
      [503, 200, 200],
      [503, 503, 200],
      [503, 503, 503],
    ]);
  },

  'can be the same for all requests': async (fixture) => {
    await fixture.serve({ priority: 'low' });
    await fixture.ask();
    expect(fixture.shedder.asked).toEqual(['low']);
  },

  'is normal if the function returns undefined': async (fixture) => {
    await fixture.serve({ priority: () => undefined });
    await fixture.ask();
    expect(fixture.shedder.asked).toEqual(['normal']);
  },

  'comes from the field of a peer whose address is trusted': async (fixture) => {
    const options: SheddingOptions = { priority: 'low', trustPriority: ['127.0.0.0/8'] };
    expect(await askedWith(fixture, options, 'critical')).toBe('critical');
  },

  'comes from the field of a peer that a function trusts': async (fixture) => {
    await fixture.serve((requestOf) => ({
      trustPriority: (...args) => requestOf(args).headers['x-secret'] === 'right',
    }));
    for (const secret of ['right', 'wrong']) {
      await fixture.ask('/', { headers: { 'sluice-priority': 'critical', 'x-secret': secret } });
    }
    expect(fixture.shedder.asked).toEqual(['critical', 'normal']);
  },

  'does not come from the field without trustPriority': async (fixture) => {
    expect(await askedWith(fixture, {}, 'critical')).toBe('normal');
  },

  'does not come from the field of another peer, whatever address a proxy states': async (fixture) => {
    await fixture.serve({ trustPriority: ['203.0.113.7'] });
    await fixture.ask('/', { headers: { 'sluice-priority': 'critical', 'x-forwarded-for': '203.0.113.7' } });
    expect(fixture.shedder.asked).toEqual(['normal']);
  },

  'does not come from a field that a proxy with a trusted address may have passed on': async (fixture) => {
    await fixture.serve((requestOf) => ({
      priority: 'low',
      trustPriority: (...args) => requestOf(args).headers['sluice-priority'] !== undefined,
    }));
    const passedOn: Record<string, string>[] = [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-for': '' },
      { forwarded: 'for=203.0.113.7' },
      { 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1' },
    ];
    for (const fields of passedOn) await fixture.ask('/', { headers: { 'sluice-priority': 'critical', ...fields } });
    await fixture.ask('/', { headers: { 'sluice-priority': 'critical' } });
    expect(fixture.shedder.asked).toEqual([...passedOn.map(() => 'low'), 'critical']);
  },

  'comes from a field that a proxy has passed on if trustForwardedPriority says so, and the proxy is trusted': async (
    fixture,
  ) => {
    const trustPriority = ['127.0.0.1'];
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    await fixture.serve({ trustPriority, trustForwardedPriority: true });
    await fixture.ask('/', { headers: { 'sluice-priority': 'critical', ...headers } });
    expect(fixture.shedder.asked).toEqual(['critical']);
  },

  'does not come from the field of an address that is not trusted, if trustForwardedPriority is true': async (
    fixture,
  ) => {
    await fixture.serve({ trustPriority: ['203.0.113.7'], trustForwardedPriority: true });
    await fixture.ask('/', { headers: { 'sluice-priority': 'critical', 'x-forwarded-for': '203.0.113.7' } });
    expect(fixture.shedder.asked).toEqual(['normal']);
  },

  'does not come from a field without a valid class': async (fixture) => {
    await fixture.serve({ priority: 'low', trustPriority: ['127.0.0.1'] });
    const invalid = ['', 'Critical', 'critical, low', '"critical"', 'constructor', 'highest'];
    for (const stated of invalid) await fixture.ask('/', { headers: { 'sluice-priority': stated } });
    expect(fixture.shedder.asked).toEqual(invalid.map(() => 'low'));
  },
};
