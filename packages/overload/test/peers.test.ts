import { describe, expect, it } from '@jest/globals';
import { COLUMNS, type ColumnName, phaseOf } from '@sluice/test-kit/overload/columns';
import type { MakeGuard } from '@sluice/test-kit/overload/guard';
import type { PhaseResult } from '@sluice/test-kit/overload/measurement';
import { codel } from '@sluice/test-kit/overload/peers/codel';
import { fixedLimit } from '@sluice/test-kit/overload/peers/fixed-limit';
import { loopUtilization } from '@sluice/test-kit/overload/peers/loop-utilization';
import { noGuard } from '@sluice/test-kit/overload/peers/no-guard';
import { toobusy } from '@sluice/test-kit/overload/peers/toobusy';
import { simulate } from '@sluice/test-kit/overload/simulate';

/** 15 s at three times the load, of which the last 10 count. */
function overload(name: ColumnName, guard: MakeGuard): PhaseResult {
  const column = COLUMNS[name];
  const phases = [phaseOf(column, 'overload', 3, 15_000, { settleMs: 5000 })];
  return simulate({ ...column, phases }, guard, 1).overload as PhaseResult;
}

/** The part of the capacity that is answered in time. */
const goodput = (name: ColumnName, guard: MakeGuard): number =>
  overload(name, guard).goodPerS / COLUMNS[name].capacityPerS;

const ALL = Object.keys(COLUMNS) as ColumnName[];
const DOWNSTREAM = ALL.filter((name) => name.startsWith('down'));

describe('the simulated loads are hard', () => {
  it.each(ALL)('a server without a shedder answers nobody in time: %s', (name) => {
    expect(goodput(name, noGuard)).toBeLessThan(0.01);
  });

  it.each([
    ['the utilization of the event loop', loopUtilization(0.98)],
    ['the lag of the event loop', toobusy(70)],
  ])('shedding by %s loses a third where the processor is short, and everything where it is not', (_, guard) => {
    for (const name of ['sync', 'cpu'] as const) expect(goodput(name, guard)).toBeLessThan(0.67);
    for (const name of DOWNSTREAM) expect(goodput(name, guard)).toBeLessThan(0.01);
  });

  it('CoDel by the age of the event loop serves much, but everybody alike, and nobody behind a slow downstream', () => {
    for (const name of ['sync', 'cpu'] as const) {
      const { goodPerS, criticalServed } = overload(name, codel);
      expect(goodPerS / COLUMNS[name].capacityPerS).toBeGreaterThan(0.85);
      expect(criticalServed).toBeLessThan(0.4);
    }
    for (const name of DOWNSTREAM) expect(goodput(name, codel)).toBeLessThan(0.01);
  });

  it('a fixed limit of requests in flight is right for one server, and wrong for every other', () => {
    const limit = fixedLimit(20);
    expect(goodput('down 20', limit)).toBeGreaterThan(0.9);
    expect(goodput('down 8', limit)).toBeLessThan(0.85);
    expect(goodput('down 100', limit)).toBeLessThan(0.25);
    // No handler waits, so there is never more than one request in flight, and nothing is refused.
    expect(goodput('sync', limit)).toBeLessThan(0.01);
  });
});
