import type { Permit, Priority } from '@sluice/core/load';
import type { Agenda } from './agenda.js';
import type { Downstream } from './downstream.js';
import type { Guard } from './guard.js';
import type { Route } from './scenario.js';
import type { SimulatedLoop } from './simulated-loop.js';

/** The processor time of reading a request, and of refusing it. */
export const READ_MS = 0.05;
const REFUSE_MS = 0.05;

/** The processor time of a request that is refused. */
export const REFUSAL_MS = READ_MS + REFUSE_MS;

/** A request on its way. */
export interface SimulatedRequest {
  readonly priority: Priority;
  readonly tenant: string | undefined;
  readonly route: Route;
  /** How much work each step of the route is, in means. */
  readonly sizes: readonly number[];
  refused(): void;
  /** It gets its permit, so that it can leave early. */
  admitted(permit: Permit): void;
  answered(nowMs: number): void;
}

interface ServerParts {
  readonly agenda: Agenda;
  readonly loop: SimulatedLoop;
  readonly guard: Guard;
  readonly downstreams: ReadonlyMap<string, Downstream>;
}

/** A server of one event loop, which asks its guard for each request before anything else. */
export class SimulatedServer {
  readonly #parts: ServerParts;
  /** By how much the work on the event loop takes longer now. */
  cpuSlowness = 1;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** All downstreams take so many times longer from now on, or each by its name. */
  slowDownstreams(slowness: number | Readonly<Record<string, number>>): void {
    for (const [name, downstream] of this.#parts.downstreams) {
      downstream.slowness = typeof slowness === 'number' ? slowness : (slowness[name] ?? 1);
    }
  }

  receive(request: SimulatedRequest): void {
    this.#parts.loop.ready(() => this.#read(request));
  }

  #read(request: SimulatedRequest): void {
    const { loop, guard } = this.#parts;
    loop.work(READ_MS);
    const permit = guard.admit(request.priority, { tenant: request.tenant, bulkhead: request.route.name });
    if (!permit) {
      loop.work(REFUSE_MS);
      request.refused();
      return;
    }
    request.admitted(permit);
    this.#work(request, permit, 0);
  }

  /** Does the steps from the first one on, until one has to wait. */
  #work(request: SimulatedRequest, permit: Permit, first: number): void {
    const { loop, agenda, downstreams } = this.#parts;
    const { steps } = request.route;
    for (let index = first; index < steps.length; index += 1) {
      const step = steps[index] as (typeof steps)[number];
      const size = request.sizes[index] as number;
      if ('cpuMs' in step) {
        loop.work(size * step.cpuMs * this.cpuSlowness);
        continue;
      }
      const resume = (): void => loop.ready(() => this.#work(request, permit, index + 1));
      if ('ioMs' in step) agenda.at(loop.nowMs() + size * step.ioMs, resume);
      else (downstreams.get(step.call) as Downstream).call(size, loop.nowMs(), resume);
      return;
    }
    permit.done();
    request.answered(loop.nowMs());
  }
}
