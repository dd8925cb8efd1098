import { expect, it } from '@jest/globals';
import { createShedding, permitOf, type SheddingHost, type ShedLoadOptions } from '@sluice/core/http';
import { createShedder } from '@sluice/core/load';

type Request = { readonly headers: Record<string, string>; readonly url: string; readonly rawHeaders?: string[] };
type Options = ShedLoadOptions<[request: Request]>;

const host: SheddingHost<[request: Request]> = {
  requestOf: (request) => request,
  urlOf: ({ url }) => url,
  keep: () => {},
  onEnd: () => {},
  contentTypeOf: () => undefined,
};

it.each<[options: unknown, message: RegExp]>([
  [null, /^options must be an object, got null/],
  [{ priorty: 'low' }, /^priorty is not an option: use priority,/],
  [{ priority: 'high' }, /^priority must be one of "critical", "normal", "low", got "high"/],
  [{ skip: true }, /^skip must be a function, got true/],
  [{ isStream: 'yes' }, /^isStream must be a function/],
  [{ onShed: {} }, /^onShed must be a function/],
  [{ random: 0.5 }, /^random must be a function, got 0.5/],
  [{ health: '/livez' }, /^health must be an array of paths like '\/livez', or false, got "\/livez"/],
  [{ health: true }, /^health must be an array/],
  [{ health: ['/livez', 'ready'] }, /^health\[1\] must be a path without a query, like '\/livez', got "ready"/],
  [{ health: ['/livez?verbose'] }, /^health\[0\] must be a path without a query/],
  [{ trustPriority: '10.0.0.0/8' }, /^trustPriority must be an array of addresses/],
  [{ trustPriority: ['10.0.0.0/33'] }, /^trustPriority\[0\] must be an address or a CIDR range/],
  [{ trustPriority: ['::1'], trustForwardedPriority: 1 }, /^trustForwardedPriority must be one of true, false, got 1/],
  [{ trustForwardedPriority: true }, /^trustForwardedPriority needs trustPriority, got true/],
  [{ shedder: {} }, /^shedder must be a shedder, like createShedder\(\), got an object/],
  [{ shedder: null }, /^shedder must be a shedder/],
  [{ shedder: createShedder(), loop: false }, /^loop cannot be set beside shedder: set it where you make the shedder/],
  [{ shedder: createShedder(), name: 'api' }, /^name cannot be set beside shedder/],
  [{ tenant: 'acme' }, /^tenant must be a function, got "acme"/],
  [{ bulkhead: 'search' }, /^bulkhead must be a function, got "search"/],
  [{ tenants: {} }, /^tenants needs the option tenant/],
  [{ tenant: () => 'acme', shedder: createShedder(), tenants: {} }, /^tenants cannot be set beside shedder/],
  [{ bulkhead: () => 'search', inFlight: false }, /^bulkhead cannot be set with inFlight: false/],
  [{ inFlight: { initial: 0 } }, /^inFlight.initial must be /],
  [{ eventLoop: {} }, /^eventLoop is not an option/],
])('The options %p are an error: %p', (options, message) => {
  const create = () => createShedding(options as Options, host);
  expect(create).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', message: expect.stringMatching(message) }));
});

it('Options are read once, and later changes of them change nothing', () => {
  const health = ['/live'];
  const options: Options = { health, shedder: createShedder({ loop: false, inFlight: { initial: 1, max: 1 } }) };
  const { admit, shedder } = createShedding(options, host);
  health[0] = '/';
  shedder.admit('critical');
  expect(admit({ url: '/', headers: {} })?.status).toBe(503);
  expect(admit({ url: '/live', headers: {} })).toBeUndefined();
});

it('A refusal is made once, and cannot be changed', () => {
  const shedder = createShedder({ loop: false, inFlight: { initial: 1, max: 1 } });
  shedder.admit('critical');
  const { admit } = createShedding<[Request]>({ shedder, random: () => 0.5 }, host);
  const [one, other] = [admit({ url: '/', headers: {} }), admit({ url: '/', headers: {} })];
  expect(one).toBe(other);
  expect([Object.isFrozen(one), Object.isFrozen(one?.headers)]).toEqual([true, true]);
  expect(one?.headers['Content-Length']).toBe(String(one?.body.length));
});

it.each<[string, () => Request]>([
  ['a list of raw fields', () => ({ url: '/', headers: {}, rawHeaders: [] })],
  ['a frozen list of raw fields', () => ({ url: '/', headers: {}, rawHeaders: Object.freeze([]) as never })],
  ['no list of raw fields', () => ({ url: '/', headers: {} })],
])('The permit of a request with %s is found from the request, and from one around it', (_what, make) => {
  const { admit } = createShedding<[Request]>({}, host);
  const [request, other] = [make(), make()];
  expect(permitOf(request)).toBeUndefined();
  admit(request);
  const permit = permitOf(request);
  expect(permit).toMatchObject({ done: expect.any(Function) });
  expect(permitOf({ raw: request })).toBe(permit);
  expect(permitOf(other)).toBeUndefined();
});

it('A request that passes the same shedder again is not admitted again', () => {
  const shedder = createShedder({ loop: false });
  const [outer, inner] = [createShedding({ shedder }, host), createShedding({ shedder }, host)];
  const own = createShedding<[Request]>({ loop: false }, host);
  const request: Request = { url: '/', headers: {} };
  for (const { admit } of [outer, inner, own, outer, own]) expect(admit(request)).toBeUndefined();
  expect([shedder.state.inFlight, own.shedder.state.inFlight]).toEqual([1, 1]);
});
