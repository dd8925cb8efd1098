import { durationMs } from '@sluice/core/src/values/duration';
import { optionError, SluiceError } from '@sluice/core/src/values/error';
import {
  checkFraction,
  checkFunction,
  checkName,
  checkOptions,
  checkWhole,
} from '@sluice/core/src/values/option-checks';
import { PRIORITIES } from '@sluice/core/src/values/priority';
import type { EventLoop } from './event-loop.js';
import type { TenantOptions } from './fair-shares.js';
import { Gate } from './gate.js';
import { InFlight } from './in-flight.js';
import { limitsOf } from './limits-of.js';
import { countsTurns, LoopAge, systemEventLoop } from './loop-age.js';
import { ProcessShedder } from './process-shedder.js';
import type { LoopOptions, Shedder, ShedderOptions } from './shedder.js';

/**
 * Creates a shedder: it admits requests while this process keeps up, and refuses the least important ones when it does
 * not. Use `shedLoad` of the package of your framework, which asks it for every HTTP request. Create one yourself for work
 * that does not come by HTTP, and to share it between several applications of one process.
 *
 * It needs no numbers to be set, has no timers, and asks nobody. It looks at two queues, because each is blind to the other:
 *
 * - `loop`: requests that wait unread while the event loop is busy.
 * - `inFlight`: requests under way that wait for what is behind, like a database.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @throws SluiceError `SLUICE_UNSUPPORTED` if this runtime does not count the turns of its event loop
 * @example
 * const shedder = createShedder();
 * const permit = shedder.admit('critical');
 * if (!permit) return refuse();
 * try {
 *   await work();
 * } finally {
 *   permit.done();
 * }
 */
export function createShedder(options: ShedderOptions = {}): Shedder {
  checkOptions(options, ['name', 'loop', 'inFlight', 'headroom', 'tenants', 'eventLoop']);
  const name = checkName(options.name ?? 'load', 'name');
  if (options.inFlight === false && options.headroom !== undefined) {
    throw optionError('headroom', 'cannot be set with inFlight: false, which limits nothing', options.headroom);
  }
  if (options.loop === false && options.inFlight === false) {
    throw optionError('inFlight', 'cannot be false with loop: false, because then nothing would ever be shed', false);
  }
  const loop = new LoopAge(eventLoopOf(options));
  const newLimit = limitsOf(options.inFlight ?? {});
  const classParts = classPartsOf(options.headroom ?? {});
  const tenants = tenantsOf(options.tenants ?? {});
  return new ProcessShedder(name, {
    loop,
    gate: gateOf(options.loop ?? {}, loop),
    newInFlight: () => new InFlight(loop, newLimit(), classParts, tenants),
    tenants,
  });
}

function eventLoopOf({ eventLoop, loop }: ShedderOptions): EventLoop {
  if (eventLoop !== undefined) {
    if (typeof eventLoop !== 'object' || eventLoop === null) {
      throw optionError('eventLoop', 'must be an object with nowMs(), idleMs() and turns()', eventLoop);
    }
    for (const method of ['nowMs', 'idleMs', 'turns'] as const) checkFunction(eventLoop[method], `eventLoop.${method}`);
    return eventLoop;
  }
  if (loop !== false && !countsTurns()) {
    throw new SluiceError(
      'SLUICE_UNSUPPORTED',
      'this runtime does not tell how long its event loop was idle, as Node.js does: set loop: false, which sheds by the requests in flight alone',
      { path: 'loop' },
    );
  }
  return systemEventLoop;
}

function gateOf(options: false | LoopOptions, loop: LoopAge): Gate | undefined {
  if (options === false) return undefined;
  checkOptions(options, ['target'], 'loop');
  const targetMs = options.target === undefined ? undefined : targetOf(options.target);
  return new Gate(PRIORITIES.length, targetMs, loop.nowMs, loop.idleMs);
}

function targetOf(target: unknown): number {
  const ms = durationMs(target, 'loop.target');
  if (ms > 10_000) throw optionError('loop.target', 'must be at most 10 s', target);
  return ms;
}

function tenantsOf(options: TenantOptions): TenantOptions {
  checkOptions(options, ['weight', 'max'], 'tenants');
  if (options.weight !== undefined) checkFunction(options.weight, 'tenants.weight');
  if (options.max !== undefined) checkWhole(options.max, 'tenants.max', 1, MOST_TENANTS);
  return { ...options };
}

/** Their parts are found ten times a second. */
const MOST_TENANTS = 100_000;

/**
 * Critical requests may go half above the limit, which the others leave. As they are few, the mean in flight hardly moves;
 * where they are many, the limit falls, as it follows how many were in flight indeed.
 */
const CRITICAL_PART = 1.5;

/** The part of the limit that each class may use, by rank. */
function classPartsOf(headroom: NonNullable<ShedderOptions['headroom']>): readonly number[] {
  checkOptions(headroom, ['normal', 'low'], 'headroom');
  const normal = checkFraction(headroom.normal ?? 0.1, 'headroom.normal');
  const low = checkFraction(headroom.low ?? Math.max(0.25, normal), 'headroom.low');
  if (low < normal) throw optionError('headroom.low', 'must be at least headroom.normal', low);
  return [CRITICAL_PART, 1 - normal, 1 - low];
}
