import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  createLine,
  leakyBucket,
  MemoryStore,
  type PolicyMetrics,
  type PolicyOptions,
  policyMetrics,
  replacePolicy,
  slidingWindow,
  storeMetrics,
} from '@sluice/core';
import { createShedder } from '@sluice/core/load';
import { ManualClock } from '@sluice/core/testing';
import { HandDrivenLoop } from '@sluice/test-kit/hand-driven-loop';
import { CATALOGUE, type PolicyStatus, prometheusMetrics } from '../src/index.js';
import { LIBRARIES, type Library } from './clients.js';
import { parseText, sumOf } from './parse-text.js';

let last = 0;
/** A name of a policy that no other test has: counters belong to the process. */
const newName = (): string => {
  last += 1;
  return `policy ${last}`;
};

async function seriesOf(library: Library, options: object = {}): Promise<ReadonlyMap<string, number>> {
  const registry = new library.Registry();
  const remove = prometheusMetrics({ client: library, registry, ...options });
  try {
    return parseText(await registry.metrics());
  } finally {
    remove();
  }
}

function countersOf(policy: string): PolicyMetrics {
  return policyMetrics().find((counters) => counters.policy === policy) as PolicyMetrics;
}

describe.each(LIBRARIES)('metrics of %s', (_, library) => {
  it('begin at 0 for every outcome and every source, before the first request', async () => {
    const name = newName();
    createLimiter({ name, limit: 5, window: '1m' });
    const series = await seriesOf(library);
    const own = [...series].filter(([key]) => key.includes(`policy="${name}"`) && !key.startsWith('sluice_limit_'));
    expect(own).toHaveLength(12 + 6 + 2);
    expect(own.filter(([, value]) => value !== 0)).toEqual([]);
    const outcomes = ['allowed', 'refused', 'would_refuse'];
    expect(
      outcomes.map((outcome) =>
        series.get(`sluice_limit_checks_total{limit="${name}",outcome="${outcome}",policy="${name}"}`),
      ),
    ).toEqual([0, 0, 0]);
  });

  it('are the same numbers as the counters, for every decision and check', async () => {
    const name = newName();
    const limiter = createLimiter({
      name,
      limits: [
        { name: 'minute', limit: 10, window: '1m', cost: 2 },
        { name: 'trial', limit: 3, window: '1m', enforce: 0 },
      ],
    });
    for (let i = 0; i < 9; i += 1) limiter.consume(`key ${i % 2}`);
    const series = await seriesOf(library);
    const { decisions, limits } = countersOf(name);
    for (const outcome of ['allowed', 'shadowed', 'refused'] as const) {
      for (const source of ['store', 'local', 'allow', 'deny'] as const) {
        const key = `sluice_decisions_total{outcome="${outcome}",policy="${name}",source="${source}"}`;
        expect([key, series.get(key)]).toEqual([key, decisions[outcome][source]]);
      }
    }
    expect(sumOf(series, 'sluice_decisions_total', { policy: name })).toBe(9);
    for (const { name: limit, checks, unitsSpent } of limits) {
      const of = { policy: name, limit };
      expect(sumOf(series, 'sluice_limit_checks_total', { ...of, outcome: 'allowed' })).toBe(checks.allowed);
      expect(sumOf(series, 'sluice_limit_checks_total', { ...of, outcome: 'refused' })).toBe(checks.refused);
      expect(sumOf(series, 'sluice_limit_checks_total', { ...of, outcome: 'would_refuse' })).toBe(checks.wouldRefuse);
      expect(sumOf(series, 'sluice_units_spent_total', of)).toBe(unitsSpent);
    }
    expect(sumOf(series, 'sluice_decisions_total', { policy: name, outcome: 'shadowed' })).toBe(3);
    expect(sumOf(series, 'sluice_limit_quota', { policy: name, limit: 'minute' })).toBe(10);
    expect(sumOf(series, 'sluice_limit_window_seconds', { policy: name })).toBe(120);
    expect(sumOf(series, 'sluice_limit_enforced_ratio', { policy: name })).toBe(1);
  });

  it.each([
    [undefined, 3],
    [0, 1],
    [0.1, 2],
    [0.5, 6],
    [0.9, 10],
  ])('count checks near the limit: with nearRatio %p, %p of 10', async (nearRatio, near) => {
    const name = newName();
    const limiter = createLimiter({ name, limit: 10, window: '1m' });
    for (let i = 0; i < 12; i += 1) limiter.consume('key');
    const series = await seriesOf(library, { nearRatio });
    expect(sumOf(series, 'sluice_limit_near_total', { policy: name })).toBe(near);
  });

  it('show delays, slots and returned units', async () => {
    const [delayed, held, returned] = [newName(), newName(), newName()];
    const store = new MemoryStore({ clock: new ManualClock() });
    const queue = createLimiter({ name: delayed, store, limit: leakyBucket({ capacity: 5, leakRate: 10 }) });
    for (let i = 0; i < 3; i += 1) queue.consume('key');
    const slot = await createLimiter({ name: held, limit: concurrency({ limit: 3, lease: '1m' }) }).reserve('key');
    const reservation = await createLimiter({ name: returned, limit: 10, window: '1m' }).reserve('key', { cost: 7 });
    await reservation.settle(4);
    const series = await seriesOf(library);
    const buckets = (le: string) =>
      series.get(`sluice_delay_seconds_bucket{le="${le}",limit="${delayed}",policy="${delayed}"}`);
    // The first request leaves at once, the others after 100 ms and 200 ms.
    expect(['0.05', '0.1', '0.25', '+Inf'].map(buckets)).toEqual([0, 1, 2, 2]);
    expect(sumOf(series, 'sluice_delay_seconds_sum', { policy: delayed })).toBeCloseTo(0.3);
    expect(sumOf(series, 'sluice_delay_seconds_count', { policy: delayed })).toBe(2);
    expect(sumOf(series, 'sluice_slots_in_use', { policy: held })).toBe(1);
    await slot.release();
    expect(sumOf(await seriesOf(library), 'sluice_slots_in_use', { policy: held })).toBe(0);
    expect(sumOf(series, 'sluice_units_spent_total', { policy: returned })).toBe(7);
    expect(sumOf(series, 'sluice_units_returned_total', { policy: returned })).toBe(3);
  });

  it('show 0 slots in use, also if a function chose the limit, or if the policy has it no more', async () => {
    const [chosen, removed] = [newName(), newName()];
    const slots = concurrency({ limit: 3, lease: '1m' });
    const inUse = async () => {
      const series = await seriesOf(library);
      return [chosen, removed].map((name) => series.get(`sluice_slots_in_use{limit="slots",policy="${name}"}`));
    };
    const options: PolicyOptions<[subject: string]> = { name: removed, limits: [{ name: 'slots', limit: slots }] };
    const taken = [
      createLimiter({ name: chosen, limits: [{ name: 'slots', limit: () => slots }] }).reserve('key'),
      createLimiter(options).reserve('key'),
    ];
    replacePolicy(options, { limit: 5, window: '1m' });
    expect(await inUse()).toEqual([1, 1]);
    for (const reservation of await Promise.all(taken)) await reservation.settle();
    expect(await inUse()).toEqual([0, 0]);
  });

  it('show who waits in a line, and how long they waited', async () => {
    const name = newName();
    const clock = new ManualClock();
    const store = new MemoryStore({ clock });
    const line = createLine({
      limiter: createLimiter({ name, store, limit: slidingWindow({ limit: 1, window: '1s' }) }),
    });
    const work = [1, 2].map(() => line.run('key', async () => undefined));
    await clock.advance(0);
    expect(sumOf(await seriesOf(library), 'sluice_waiting_requests', { policy: name })).toBe(1);
    await clock.advance(1000);
    await Promise.all(work);
    const series = await seriesOf(library);
    expect(sumOf(series, 'sluice_waiting_requests', { policy: name })).toBe(0);
    expect(sumOf(series, 'sluice_wait_seconds_count', { policy: name })).toBe(
      sumOf(series, 'sluice_wait_seconds_bucket', { policy: name, le: '+Inf' }),
    );
    expect(sumOf(series, 'sluice_wait_seconds_sum', { policy: name })).toBe(1);
  });

  it('show the keys that stores have, and those that they evicted', async () => {
    const store = new MemoryStore({ name: newName(), maxKeys: 16 });
    const limiter = createLimiter({ name: newName(), store, limit: 1, window: '1h' });
    for (let i = 0; i < 100; i += 1) limiter.consume(`key ${i}`);
    const series = await seriesOf(library);
    const own = storeMetrics().find((counters) => counters.store === `policy ${last - 1}`);
    const labels = { store: own?.store ?? '' };
    expect(sumOf(series, 'sluice_store_keys', labels)).toBe(own?.keys);
    expect(sumOf(series, 'sluice_store_max_keys', labels)).toBe(16);
    expect(sumOf(series, 'sluice_evicted_keys_total', labels)).toBe(own?.evictedKeys);
    expect(own?.evictedKeys).toBeGreaterThan(50);
  });

  it('show what a shedder admitted and refused, and its state', async () => {
    const name = newName();
    const inFlight = { algorithm: 'aimd', initial: 4, max: 4 } as const;
    const headroom = { normal: 0.25, low: 0.5 };
    const shedder = createShedder({ name, eventLoop: new HandDrivenLoop(), inFlight, headroom });
    const own = (metric: string, series: ReadonlyMap<string, number>, labels: object = {}) =>
      sumOf(series, `sluice_load_${metric}`, { shedder: name, ...labels });
    const before = await seriesOf(library);
    expect([...before].filter(([key, value]) => key.includes(`shedder="${name}"`) && value !== 0)).toEqual([
      [`sluice_load_in_flight_limit{shedder="${name}"}`, 4],
    ]);
    shedder.exempt();
    // The exempt request takes the first of four places. Critical requests have two more.
    const asked = ['low', 'low', 'normal', 'normal', 'critical', 'critical', 'critical', 'critical'] as const;
    for (const priority of asked) shedder.admit(priority);
    const series = await seriesOf(library);
    expect(['low', 'normal', 'critical'].map((priority) => own('admitted_total', series, { priority }))).toEqual([
      1, 1, 3,
    ]);
    expect(['low', 'normal', 'critical'].map((priority) => own('shed_total', series, { priority }))).toEqual([1, 1, 1]);
    expect([own('shed_total', series, { reason: 'loop' }), own('shed_total', series, { reason: 'in_flight' })]).toEqual(
      [0, 3],
    );
    expect(
      ['exempt_total', 'in_flight', 'in_flight_limit', 'border', 'age_seconds'].map((metric) => own(metric, series)),
    ).toEqual([1, 6, 4, 0, 0]);
  });

  it('show no limit of a shedder that does not look at requests in flight', async () => {
    const name = newName();
    const shedder = createShedder({ name, eventLoop: new HandDrivenLoop(), inFlight: false });
    const series = await seriesOf(library);
    expect(series.get(`sluice_load_in_flight{shedder="${name}"}`)).toBe(shedder.state.inFlight);
    expect(series.has(`sluice_load_in_flight_limit{shedder="${name}"}`)).toBe(false);
  });

  it('show the border of a busy shedder as a number, which is larger for more important classes', async () => {
    const name = newName();
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ name, eventLoop, loop: { target: '10ms' }, inFlight: false });
    const borders = new Set<number | undefined>();
    for (let turn = 0; turn < 12; turn += 1) {
      eventLoop.turn(60);
      for (const priority of ['low', 'normal', 'critical'] as const) shedder.admit(priority);
      const series = await seriesOf(library);
      borders.add(series.get(`sluice_load_border{shedder="${name}"}`));
      expect(series.get(`sluice_load_age_seconds{shedder="${name}"}`)).toBe(0.06);
    }
    expect([...borders]).toEqual([0, 1, 2, 3]);
  });

  it('never go down when a policy is replaced', async () => {
    const options = { name: newName(), limit: 5, window: '1m' as const };
    const limiter = createLimiter(options);
    for (let i = 0; i < 7; i += 1) limiter.consume('key');
    replacePolicy(options, { limits: [{ name: 'other name', limit: 9, window: '1m' }] });
    limiter.consume('key');
    const series = await seriesOf(library);
    const of = { policy: options.name };
    expect(sumOf(series, 'sluice_decisions_total', of)).toBe(8);
    expect(sumOf(series, 'sluice_limit_checks_total', { ...of, limit: options.name })).toBe(7);
    expect(sumOf(series, 'sluice_limit_checks_total', { ...of, limit: 'other name' })).toBe(1);
    expect(sumOf(series, 'sluice_limit_quota', of)).toBe(9);
  });

  it('show the file of live policies, its tiers and its reloads', async () => {
    const name = newName();
    createLimiter({ name, limits: [{ name: 'minute', limit: () => slidingWindow({ limit: 7, window: '1m' }) }] });
    const limit = { policy: name, limit: 'minute', windowMs: 60_000, enforce: 0.05 };
    const status: PolicyStatus = {
      revision: 'a1b2',
      enforcement: 'shadow',
      reloads: { applied: 3, unchanged: 2, rejected: 1 },
      lastReload: { successful: false, succeededAtMs: 1_700_000_000_500 },
      limits: [
        { ...limit, tier: 'free', quota: 60 },
        { ...limit, tier: 'pro', quota: 600 },
      ],
      braked: [name],
    };
    const series = await seriesOf(library, { policies: { status: () => status } });
    expect([...series].filter(([key]) => /policy_|enforcement|tier=/.test(key))).toEqual([
      [`sluice_limit_quota{limit="minute",policy="${name}",tier="free"}`, 60],
      [`sluice_limit_quota{limit="minute",policy="${name}",tier="pro"}`, 600],
      [`sluice_limit_window_seconds{limit="minute",policy="${name}",tier="free"}`, 60],
      [`sluice_limit_window_seconds{limit="minute",policy="${name}",tier="pro"}`, 60],
      [`sluice_limit_enforced_ratio{limit="minute",policy="${name}",tier="free"}`, 0.05],
      [`sluice_limit_enforced_ratio{limit="minute",policy="${name}",tier="pro"}`, 0.05],
      ['sluice_policy_reloads_total{outcome="applied"}', 3],
      ['sluice_policy_reloads_total{outcome="unchanged"}', 2],
      ['sluice_policy_reloads_total{outcome="rejected"}', 1],
      ['sluice_policy_last_reload_successful{}', 0],
      ['sluice_policy_last_reload_success_timestamp_seconds{}', 1_700_000_000.5],
      ['sluice_policy_file_info{revision="a1b2"}', 1],
      [`sluice_policy_braked{policy="${name}"}`, 1],
      ['sluice_enforcement_mode{mode="on"}', 0],
      ['sluice_enforcement_mode{mode="shadow"}', 1],
      ['sluice_enforcement_mode{mode="off"}', 0],
    ]);
  });

  it('show 1,000 rows of a policy file, and say so if it has more', async () => {
    const row = { policy: newName(), limit: 'minute', quota: 5, windowMs: 60_000, enforce: 1 };
    const tiers = Array.from({ length: 1001 }, (_, i) => ({ ...row, tier: `tier ${i}` }));
    const status = (limits: PolicyStatus['limits']): PolicyStatus => ({
      revision: 'a1b2',
      enforcement: 'on',
      reloads: { applied: 1, unchanged: 0, rejected: 0 },
      lastReload: { successful: true, succeededAtMs: 0 },
      limits,
      braked: [],
    });
    const all = await seriesOf(library, { policies: { status: () => status(tiers.slice(1)) } });
    expect([sumOf(all, 'sluice_limit_quota', { policy: row.policy }), sumOf(all, 'sluice_series_capped')]).toEqual([
      5000, 0,
    ]);
    const capped = await seriesOf(library, { policies: { status: () => status(tiers) } });
    expect([
      sumOf(capped, 'sluice_limit_quota', { policy: row.policy }),
      sumOf(capped, 'sluice_series_capped'),
    ]).toEqual([5000, 1]);
  });

  it('escape the characters of names that the format uses', async () => {
    const name = `${newName()} a"b\\c{d="e"} #`;
    createLimiter({ name, limit: 5, window: '1m' }).consume('key');
    const series = await seriesOf(library);
    const escaped = name.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
    expect(sumOf(series, 'sluice_decisions_total', { policy: escaped })).toBe(1);
  });

  it('cost nothing per request: they listen to no event', () => {
    const events = ['decision', 'skipped', 'store-error', 'breaker', 'signal', 'duration', 'evicted', 'policy'];
    const observed = (): string[] => events.filter((event) => channel(`sluice:${event}`).hasSubscribers);
    // Channels belong to the process, which has run the tests of other files.
    const before = observed();
    const remove = prometheusMetrics({ registry: new library.Registry() });
    expect(observed()).toEqual(before);
    remove();
  });

  it('have the same series in the OpenMetrics format', async () => {
    const limiter = createLimiter({ name: newName(), limit: leakyBucket({ capacity: 5, leakRate: 10 }) });
    for (let i = 0; i < 9; i += 1) limiter.consume('key');
    const registry = new library.Registry();
    prometheusMetrics({ registry });
    const plain = parseText(await registry.metrics());
    registry.setContentType('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const text = await registry.metrics();
    expect(text).toMatch(/# EOF\n$/);
    expect(text).toContain('# TYPE sluice_decisions counter\n');
    // A store of another test may be collected between the two, and its keys with it.
    const isSteady = ([series]: [string, number]): boolean => !/^sluice_store_(max_)?keys/.test(series);
    const counted = parseText(text);
    expect([...counted.keys()]).toEqual([...plain.keys()]);
    expect([...counted].filter(isSteady)).toEqual([...plain].filter(isSteady));
  });

  it('name every metric of the catalogue with its type, its help and the prefix', async () => {
    const registry = new library.Registry();
    const remove = prometheusMetrics({ registry, prefix: 'edge_' });
    const text = await registry.metrics();
    for (const { name, type, help } of Object.values(CATALOGUE)) {
      expect(text).toContain(`# HELP edge_${name} ${help}\n# TYPE edge_${name} ${type}\n`);
    }
    expect(text).not.toContain('sluice_');
    remove();
    expect((await registry.metrics()).trim()).toBe('');
  });

  it('let other work of the process go on between the parts of a long text', async () => {
    const store = new MemoryStore();
    for (let i = 0; i < 80; i += 1) createLimiter({ name: newName(), store, limit: 5, window: '1m' });
    const registry = new library.Registry();
    prometheusMetrics({ registry });
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    await registry.metrics();
    clearImmediate(immediate);
    // Of decisions, of checks and of skipped requests there are more than 200 series.
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('are refused twice in one registry, and then the registry stays as it was', async () => {
    const registry = new library.Registry();
    prometheusMetrics({ registry });
    // Stores and shedders that nobody uses any more may leave meanwhile, so their samples are not compared.
    const registered = async () => (await registry.metrics()).match(/^# TYPE .*/gm);
    const before = await registered();
    expect(before).toContain('# TYPE sluice_decisions_total counter');
    expect(() => prometheusMetrics({ registry })).toThrow(
      'registry must not have a metric named sluice_decisions_total yet, got an object (SLUICE_OPTION)',
    );
    expect(await registered()).toEqual(before);
  });

  it('are not removed by somebody who removed theirs before', async () => {
    const registry = new library.Registry();
    const remove = prometheusMetrics({ registry });
    remove();
    prometheusMetrics({ registry });
    remove();
    expect(parseText(await registry.metrics()).get('sluice_series_capped{}')).toBe(0);
  });

  it('use the registry of the library if no other is given', () => {
    const remove = prometheusMetrics({ client: library });
    expect(library.register.getSingleMetric('sluice_decisions_total')).toBeDefined();
    remove();
    expect(library.register.getSingleMetric('sluice_decisions_total')).toBeUndefined();
  });
});

describe('options of prometheusMetrics', () => {
  const [[, client]] = LIBRARIES as [readonly [string, Library]];
  const LIBRARY = 'must be prom-client 15 or @prometheus-io/client 0.16, or a registry of them';
  const PREFIX = 'must begin with a letter, and have only letters, digits, "_" and ":"';
  const TENTHS = 'must be 0, 0.1, 0.2 and so on up to 0.9';

  it.each([
    ['no options', undefined, 'options must be an object, got undefined'],
    ['neither a library nor a registry', {}, `registry ${LIBRARY}, got undefined`],
    ['another library', { client: {} }, `client ${LIBRARY}, got an object`],
    ['another registry', { registry: {} }, `registry ${LIBRARY}, got an object`],
    ['a prefix that no name may have', { client, prefix: '1' }, `prefix ${PREFIX}, got "1"`],
    ['a prefix that is no text', { client, prefix: 5 }, `prefix ${PREFIX}, got 5`],
    ['a ratio between two tenths', { client, nearRatio: 0.25 }, `nearRatio ${TENTHS}, got 0.25`],
    ['a ratio in text', { client, nearRatio: '0.2' }, `nearRatio ${TENTHS}, got "0.2"`],
    ['a ratio that is always near', { client, nearRatio: 1 }, `nearRatio ${TENTHS}, got 1`],
    ['policies without a status', { client, policies: {} }, 'policies.status must be a function, got undefined'],
    ['an unknown option', { client, regsitry: 1 }, 'regsitry is not an option: use registry, got 1'],
  ])('refuse %s', (_, options, message) => {
    expect(() => prometheusMetrics(options as never)).toThrow(`${message} (SLUICE_OPTION)`);
    expect(client.register.getSingleMetric('sluice_decisions_total')).toBeUndefined();
  });
});
