import { describe, expect, it } from '@jest/globals';
import { COLUMNS, type Column, type ColumnName, phaseOf } from '@sluice/test-kit/overload/columns';
import type { MakeGuard } from '@sluice/test-kit/overload/guard';
import type { PhaseResult } from '@sluice/test-kit/overload/measurement';
import type { Scenario } from '@sluice/test-kit/overload/scenario';
import { shedder, shedderBy } from '@sluice/test-kit/overload/shedder-guard';
import { simulate } from '@sluice/test-kit/overload/simulate';
import { IS_FULL, mean, percent, play, report } from './simulations.js';

/** CI plays one seed, and less of it. */
const FOR_MS = IS_FULL ? 40_000 : 7000;
const SETTLE_MS = IS_FULL ? 20_000 : 3000;
const COLUMNS_TO_PLAY: readonly ColumnName[] = IS_FULL ? ['sync', 'cpu', 'down 20', 'down 100'] : ['sync', 'down 20'];

function played<Name extends string>(
  scenario: Scenario & { readonly phases: readonly { readonly name: Name }[] },
  guard: MakeGuard,
): Record<Name, PhaseResult>[] {
  return IS_FULL ? play(scenario, guard) : [simulate(scenario, guard, 1) as Record<Name, PhaseResult>];
}

/** The part of the requests of a tenant or a route that got a good answer. */
const servedOf = (runs: readonly PhaseResult[], name: string): number =>
  mean(runs.map((run) => run.of(name).good / run.of(name).offered));

interface Overload {
  readonly tenants: Readonly<Record<string, number>>;
  readonly guard?: MakeGuard;
  /** Default: all requests are normal. */
  readonly classes?: Scenario['classes'];
}

/** Plays one phase in which tenants ask for so many times the capacity. */
function overloaded(name: ColumnName, { tenants, guard = shedderBy('tenant'), classes }: Overload) {
  const column: Column = { ...COLUMNS[name], tenants, classes: classes ?? { critical: 0, low: 0 } };
  const times = Object.values(tenants).reduce((sum, part) => sum + part, 0);
  const phases = [{ ...phaseOf(column, 'only', times, FOR_MS, { settleMs: SETTLE_MS }), name: 'only' as const }];
  const runs = played({ ...column, phases }, guard).map(({ only }) => only);
  const seconds = (FOR_MS - SETTLE_MS) / 1000;
  return {
    served: (tenant: string) => servedOf(runs, tenant),
    /** The good answers of a tenant, or of all, as a part of what the server can answer. */
    part: (tenant: string) => mean(runs.map((run) => run.of(tenant).good / seconds / column.capacityPerS)),
    all: mean(runs.map(({ goodPerS }) => goodPerS / column.capacityPerS)),
  };
}

describe('a tenant that asks ten times as often as others', () => {
  const tenants = { greedy: 2.5, modest: 0.25, other: 0.25 };

  it.each(COLUMNS_TO_PLAY)('leaves most of what they want to those that want less than their part: %s', (name) => {
    const [without, by] = [overloaded(name, { tenants, guard: shedder() }), overloaded(name, { tenants })];
    report(
      `a greedy tenant, ${name}: others ${percent(by.served('modest'))} % served, without tenants ${percent(without.served('modest'))} %; the greedy one has ${percent(by.part('greedy'))} % of the capacity, without tenants ${percent(without.part('greedy'))} %; all ${percent(by.all)} %, without ${percent(without.all)} %`,
    );
    for (const tenant of ['modest', 'other']) {
      expect(by.served(tenant)).toBeGreaterThan(name.startsWith('down') ? 0.85 : 0.95);
      expect(without.served(tenant)).toBeLessThan(0.4);
    }
    expect(by.all).toBeGreaterThan(0.95 * without.all);
    // Its part is what the others do not want.
    expect(by.part('greedy')).toBeLessThanOrEqual(1 - tenants.modest - tenants.other);
    expect(without.part('greedy')).toBeGreaterThan(1 - tenants.modest - tenants.other);
  });

  it.each(COLUMNS_TO_PLAY)('gets hardly more than those that want more than their part: %s', (name) => {
    const { part, all } = overloaded(name, { tenants: { greedy: 5, eager: 0.5, other: 0.5 } });
    const parts = ['greedy', 'eager', 'other'].map(part);
    report(`tenants that want more than their part, ${name}: ${parts.map(percent).join(', ')} % of the capacity`);
    expect(parts[0]).toBeLessThan(1.4 * (all / 3));
    expect(Math.min(...parts)).toBeGreaterThan(0.8 * (all / 3));
  });

  it('does not gain by calling all of its requests critical', () => {
    const column = 'sync';
    const mixed = overloaded(column, { tenants, classes: { critical: 0.2, low: 0.3 } });
    report(`requests of all classes, ${column}: others ${percent(mixed.served('modest'))} % served`);
    expect(mixed.served('modest')).toBeGreaterThan(0.85);
  });
});

it('tenants get parts by their weights', () => {
  const guard = shedderBy('tenant', { tenants: { weight: (tenant) => (tenant === 'gold' ? 3 : 1) } });
  const { part } = overloaded('down 20', { tenants: { gold: 1.5, free: 1.5 }, guard });
  report(`weights 3 and 1: ${percent(part('gold'))} and ${percent(part('free'))} % of the capacity`);
  expect(part('gold') / part('free')).toBeGreaterThan(2);
  expect(part('gold') / part('free')).toBeLessThan(3.6);
});

it('one tenant alone gets what it would get without tenants, critical requests first', () => {
  const classes = { critical: 0.2, low: 0.3 };
  const [without, by] = [
    overloaded('sync', { tenants: { only: 3 }, guard: shedder(), classes }),
    overloaded('sync', { tenants: { only: 3 }, classes }),
  ];
  expect(by.all).toBeGreaterThan(0.95 * without.all);
});

it('a route whose service becomes 50 times slower costs others at most 5 % of their good answers', () => {
  const service = { servers: 20, serviceMs: 20, contention: 0.02 };
  const column: Column = {
    capacityPerS: 1000,
    routes: [
      { name: 'quick', weight: 9, steps: [{ cpuMs: 0.2 }, { call: 'fast' }] },
      { name: 'slow', weight: 1, steps: [{ cpuMs: 0.2 }, { call: 'slow' }] },
    ],
    downstreams: { fast: service, slow: service },
    deadlineMs: 3000,
  };
  const phases = [
    { ...phaseOf(column, 'usual', 0.8, 3000), name: 'usual' as const },
    { ...phaseOf(column, 'slow', 0.8, 8000, { downstreamSlowness: { slow: 50 } }), name: 'slow' as const },
    { ...phaseOf(column, 'later', 0.8, 3000, { settleMs: 1000 }), name: 'later' as const },
  ];
  const scenario = { ...column, phases };
  const [shared, own] = [played(scenario, shedder()), played(scenario, shedderBy('bulkhead'))];
  const of = (runs: typeof own, phase: 'usual' | 'slow' | 'later'): number => {
    const results = runs.map((run) => run[phase]);
    return servedOf(results, 'quick');
  };
  report(
    `a route 50x slower: others ${percent(of(own, 'slow'))} % served, before ${percent(of(own, 'usual'))} %; with one limit for all ${percent(of(shared, 'slow'))} %`,
  );
  expect(of(own, 'slow')).toBeGreaterThan(0.95 * of(own, 'usual'));
  expect(of(own, 'later')).toBeGreaterThan(0.95 * of(own, 'usual'));
  expect(of(shared, 'slow')).toBeLessThan(0.85);
});
