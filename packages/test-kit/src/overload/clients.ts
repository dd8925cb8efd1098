import type { Priority } from '@sluice/core/load';
import type { Agenda } from './agenda.js';
import type { Measurement, PhaseResult } from './measurement.js';
import type { Route, Scenario } from './scenario.js';
import type { SimulatedLoop } from './simulated-loop.js';
import type { SimulatedRequest, SimulatedServer } from './simulated-server.js';

const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 3000;

interface ClientsParts {
  readonly scenario: Scenario;
  readonly agenda: Agenda;
  readonly loop: SimulatedLoop;
  readonly server: SimulatedServer;
  readonly measurement: Measurement;
  /** For arrivals and work: what a guard does changes nothing of them. */
  readonly random: () => number;
  readonly retryRandom: () => number;
}

type Request = Pick<SimulatedRequest, 'priority' | 'route' | 'sizes'>;

/** Clients that arrive whatever happens: an open load. */
export class Clients {
  readonly #parts: ClientsParts;
  readonly #deadlineMs: number;
  readonly #totalWeight: number;

  constructor(parts: ClientsParts) {
    this.#parts = parts;
    this.#deadlineMs = parts.scenario.deadlineMs ?? 500;
    this.#totalWeight = parts.scenario.routes.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** Plans all phases. Returns when the last answer that can be good is due. */
  plan(): number {
    const { scenario, agenda, server } = this.#parts;
    let startMs = 0;
    for (const phase of scenario.phases) {
      const [fromMs, endMs] = [startMs, startMs + phase.forMs];
      agenda.at(fromMs, () => {
        server.cpuSlowness = phase.cpuSlowness ?? 1;
        server.slowDownstreams(phase.downstreamSlowness ?? 1);
        if (phase.perS > 0) this.#next(fromMs, endMs, 1000 / phase.perS);
      });
      startMs = endMs;
    }
    return startMs + this.#deadlineMs;
  }

  /** The next client of a phase, if it comes before the end of it. */
  #next(nowMs: number, endMs: number, meanMs: number): void {
    const atMs = nowMs + this.#exponential() * meanMs;
    if (atMs >= endMs) return;
    this.#parts.agenda.at(atMs, () => {
      this.#arrive(atMs);
      this.#next(atMs, endMs, meanMs);
    });
  }

  #arrive(nowMs: number): void {
    const { scenario, measurement } = this.#parts;
    const drawn = this.#priority();
    const route = this.#route();
    const priority = route.priority ?? drawn;
    const request = { priority, route, sizes: route.steps.map(() => this.#exponential()) };
    const phase = measurement.at(nowMs);
    if (phase) phase.classes[priority].offered += 1;
    this.#send(request, nowMs, phase, scenario.retries ?? 0);
  }

  #send(request: Request, nowMs: number, phase: PhaseResult | undefined, retries: number): void {
    const { scenario, agenda, loop, server, retryRandom } = this.#parts;
    const count = phase?.classes[request.priority];
    const { priority, route, sizes } = request;
    server.receive({
      priority,
      route,
      sizes,
      refused: () => {
        if (count) count.refused += 1;
        if (retries === 0) return;
        const atMs = loop.nowMs() + RETRY_MIN_MS + (RETRY_MAX_MS - RETRY_MIN_MS) * retryRandom();
        agenda.at(atMs, () => this.#send(request, atMs, phase, retries - 1));
      },
      admitted: (permit) => {
        // The server learns of it like of anything else that its sockets tell.
        if (scenario.isImpatient) agenda.at(nowMs + this.#deadlineMs, () => loop.ready(() => permit.drop()));
      },
      answered: (endMs) => {
        phase?.answered(endMs - nowMs);
        if (count && endMs - nowMs <= this.#deadlineMs) count.good += 1;
      },
    });
  }

  #exponential(): number {
    return -Math.log(1 - this.#parts.random());
  }

  #priority(): Priority {
    const { critical, low } = this.#parts.scenario.classes ?? { critical: 0.2, low: 0.3 };
    const draw = this.#parts.random();
    if (draw < critical) return 'critical';
    return draw < critical + low ? 'low' : 'normal';
  }

  #route(): Route {
    const { routes } = this.#parts.scenario;
    let left = this.#parts.random() * this.#totalWeight;
    const route = routes.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return route ?? (routes.at(-1) as Route);
  }
}
