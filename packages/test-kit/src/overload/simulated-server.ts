import type { Permit, Priority } from '@sluice/core/load';
import type { Agenda } from './agenda.js';
import type { Downstream } from './downstream.js';
import type { Guard, Truth } from './guard.js';
import type { Route, Step } from './scenario.js';
import type { SimulatedLoop } from './simulated-loop.js';

/** The processor time of reading a request. */
export const READ_MS = 0.05;
/** That of refusing it, if a scenario says nothing else. */
export const REFUSE_MS = 0.05;

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
  readonly newGuard: (truth: Truth) => Guard;
  readonly downstreams: ReadonlyMap<string, Downstream>;
  readonly refuseMs?: number | undefined;
}

/** A server of one event loop, which asks its guard for each request before anything else. */
export class SimulatedServer implements Truth {
  readonly #parts: ServerParts;
  readonly guard: Guard;
  inFlight = 0;
  waitedMs = 0;
  /** By how much the work on the event loop takes longer now. */
  cpuSlowness = 1;
  /** The work of admitted requests that is left, as a loop does it that is not slow. */
  #workLeftMs = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.guard = parts.newGuard(this);
  }

  get aheadMs(): number {
    return this.#workLeftMs * this.cpuSlowness;
  }

  /** All downstreams take so many times longer from now on, or each by its name. */
  slowDownstreams(slowness: number | Readonly<Record<string, number>>): void {
    for (const [name, downstream] of this.#parts.downstreams) {
      downstream.slowness = typeof slowness === 'number' ? slowness : (slowness[name] ?? 1);
    }
  }

  receive(request: SimulatedRequest): void {
    const { agenda, loop } = this.#parts;
    const comesAtMs = agenda.nowMs;
    loop.ready(() => this.#read(request, comesAtMs));
  }

  #read(request: SimulatedRequest, comesAtMs: number): void {
    const { loop } = this.#parts;
    loop.work(READ_MS);
    this.waitedMs = loop.nowMs() - comesAtMs;
    const permit = this.guard.admit(request.priority, { tenant: request.tenant, bulkhead: request.route.name });
    if (!permit) {
      loop.work(this.#parts.refuseMs ?? REFUSE_MS);
      request.refused();
      return;
    }
    request.admitted(permit);
    this.inFlight += 1;
    this.#workLeftMs += request.route.steps.reduce(
      (sum, step, i) => sum + cpuMsOf(step, request.sizes[i] as number),
      0,
    );
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
        const cpuMs = cpuMsOf(step, size);
        loop.work(cpuMs * this.cpuSlowness);
        this.#workLeftMs -= cpuMs;
        continue;
      }
      const resume = (): void => loop.ready(() => this.#work(request, permit, index + 1));
      if ('ioMs' in step) agenda.at(loop.nowMs() + size * step.ioMs, resume);
      else (downstreams.get(step.call) as Downstream).call(size, loop.nowMs(), resume);
      return;
    }
    this.inFlight -= 1;
    permit.done();
    request.answered(loop.nowMs());
  }
}

/** The processor time of a step of a request, on a loop that is not slow. */
function cpuMsOf(step: Step, size: number): number {
  return 'cpuMs' in step ? size * step.cpuMs : 0;
}
