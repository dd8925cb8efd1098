import type { FaultStep } from '../../tape/tape.js';
import type { FaultKind, FaultSet } from '../fault-sets.js';
import type { DrawnRun } from './drawn-run.js';
import { drawSkew, type RunConditions } from './setup.js';

/** Draws what goes wrong in a run, near the moments at which something happens. */
export function drawFaults(run: DrawnRun, conditions: RunConditions): readonly FaultStep[] {
  const { draws } = run;
  const kinds = possibleKinds(conditions.faults, run);
  if (kinds.length === 0) return [];
  // Of many kinds, a run has a few: it can then be understood.
  const chosen = kinds.length > 4 ? draws.some(kinds, 0.35) : kinds;
  const steps: FaultStep[] = [];
  for (let left = draws.scaled(1, 8); left > 0; left -= 1) {
    steps.push(...drawFault(run, draws.of(chosen), conditions));
  }
  return steps;
}

function possibleKinds({ kinds }: FaultSet, { setup }: DrawnRun): readonly FaultKind[] {
  const hasRedis = setup.servers.some(({ kind }) => kind === 'redis');
  return kinds.filter((kind) => {
    if (OF_PROCESSES.includes(kind)) return true;
    return setup.servers.length > 0 && (hasRedis || !OF_REDIS.includes(kind));
  });
}

const OF_PROCESSES: readonly FaultKind[] = ['crash', 'start', 'stall'];
const OF_REDIS: readonly FaultKind[] = ['forget-scripts', 'fail-over', 'fill'];

function drawFault(run: DrawnRun, fault: FaultKind, conditions: RunConditions): readonly FaultStep[] {
  const { draws, setup } = run;
  const atMs = run.moment();
  const process = run.process();
  const server = serverFor(run, fault);
  const forMs = durationOf(run);
  switch (fault) {
    case 'crash': {
      const begins = draws.happens(0.7) ? [startOf(run, process, atMs + Math.max(1, run.gap()), conditions)] : [];
      return [{ atMs, fault, process }, ...begins];
    }
    case 'start':
      // Nothing begins that has not ended: this is a deployment that nobody announced.
      return [{ atMs, fault: 'crash', process }, startOf(run, process, atMs + draws.scaled(1, 5000), conditions)];
    case 'stall':
      return [{ atMs, fault, process, forMs }];
    case 'set-clock':
      return [{ atMs, fault, server, byMs: drawSkew(draws) }];
    case 'freeze':
      return [{ atMs, fault, server, forMs }];
    case 'restart':
      return [{ atMs, fault, server, forMs, keeps: draws.of(['all', 'nothing'] as const) }];
    case 'fail-over':
      return [{ atMs, fault, server, forMs, lagMs: draws.scaled(1, 2000) }];
    case 'flush':
    case 'forget-scripts':
      return [{ atMs, fault, server }];
    case 'lose-key':
      return [{ atMs, fault, server, pick: Math.round(draws.part() * 100) / 100 }];
    case 'fill':
      return [{ atMs, fault, server, forMs, policy: draws.of(['noeviction', 'evict'] as const) }];
    case 'cut':
      return cutsOf(run, atMs, { server, forMs }, setup.processes.length);
    case 'lag':
      return lagsOf(run, atMs, { server, forMs: Math.max(forMs, run.gap()) }, setup.processes.length);
  }
}

/** One process is cut off from a server, or all are. */
function cutsOf(
  run: DrawnRun,
  atMs: number,
  cut: { readonly server: number; readonly forMs: number },
  processes: number,
): readonly FaultStep[] {
  const how = run.draws.of(['silent', 'broken'] as const);
  const apart = run.draws.happens(0.7) ? [run.process()] : Array.from({ length: processes }, (_, process) => process);
  return apart.map((process) => ({ atMs, fault: 'cut', process, ...cut, how }));
}

/** Messages of one process, or of all, are late for a while: often too late for whoever waits for them. */
function lagsOf(
  run: DrawnRun,
  atMs: number,
  lag: { readonly server: number; readonly forMs: number },
  processes: number,
): readonly FaultStep[] {
  const { draws } = run;
  const moreMs = draws.scaled(5, 1000);
  const to = draws.of(['server', 'process', 'process', 'both'] as const);
  const late = draws.happens(0.5) ? [run.process()] : Array.from({ length: processes }, (_, process) => process);
  return late.map((process) => ({ atMs, fault: 'lag', process, ...lag, moreMs, to }));
}

function startOf(
  { draws, policies }: DrawnRun,
  process: number,
  atMs: number,
  { faults, codes }: RunConditions,
): FaultStep {
  if (!faults.versions) return { atMs, fault: 'start', process };
  const variants = Math.max(...policies.map((policy) => policy.variants));
  return {
    atMs,
    fault: 'start',
    process,
    ...(codes > 1 && { code: draws.whole(0, codes - 1) }),
    ...(variants > 1 && { variant: draws.whole(0, variants - 1) }),
  };
}

function serverFor({ draws, setup }: DrawnRun, fault: FaultKind): number {
  const able = setup.servers.flatMap(({ kind }, server) =>
    kind === 'redis' || !OF_REDIS.includes(fault) ? [server] : [],
  );
  return able.length === 0 ? 0 : draws.of(able);
}

function durationOf(run: DrawnRun): number {
  return Math.max(1, run.draws.happens(0.4) ? run.draws.scaled(5, 3000) : run.gap());
}
