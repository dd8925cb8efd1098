import { expect } from '@jest/globals';
import type { RequestOf, SheddingOptions } from './shedding-app.js';
import type { SheddingRules } from './shedding-fixture.js';

/** The application knows a tenant by a field, and a bulkhead by the first part of the path. */
function byField(requestOf: RequestOf): SheddingOptions {
  return {
    tenant: (...args) => requestOf(args).headers['x-tenant'] as string | undefined,
    bulkhead: (...args) => (requestOf(args).headers['x-bulkhead'] as string | undefined) || undefined,
  };
}

export const originRules: SheddingRules = {
  'is what the options say; requests without a tenant are of one': async (fixture) => {
    await fixture.serve(byField);
    await fixture.ask('/', { headers: { 'x-tenant': 'acme', 'x-bulkhead': 'search' } });
    await fixture.ask('/');
    expect(fixture.shedder.origins).toEqual([
      { tenant: 'acme', bulkhead: 'search' },
      { tenant: '', bulkhead: undefined },
    ]);
  },

  'is not asked for without the options': async (fixture) => {
    await fixture.serve();
    await fixture.ask();
    expect(fixture.shedder.origins).toEqual([]);
  },

  'gives each bulkhead places of its own': async (fixture) => {
    await fixture.serve((requestOf) => ({ ...byField(requestOf), priority: 'critical' }));
    await fixture.hold(4);
    expect(await fixture.statusOf('/')).toBe(503);
    expect(await fixture.statusOf('/', { 'x-bulkhead': 'other' })).toBe(200);
  },
};
