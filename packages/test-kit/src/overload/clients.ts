import type { Priority } from '@sluice/core/load';
import type { Agenda } from './agenda.js';
import type { Count, Measurement, PhaseResult } from './measurement.js';
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

type Request = Pick<SimulatedRequest, 'priority' | 'tenant' | 'route' | 'sizes'>;

/** Clients that arrive whatever happens: an open load. */
export class Clients {
  readonly #parts: ClientsParts;
  readonly #deadlineMs: number;
  readonly #totalWeight: number;
  readonly #tenants: readonly { readonly name: string; readonly weight: number }[];
  readonly #tenantsWeight: number;

  constructor(parts: ClientsParts) {
    this.#parts = parts;
    this.#deadlineMs = parts.scenario.deadlineMs ?? 500;
    this.#totalWeight = weightOf(parts.scenario.routes);
    this.#tenants = Object.entries(parts.scenario.tenants ?? {}).map(([name, weight]) => ({ name, weight }));
    this.#tenantsWeight = weightOf(this.#tenants);
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
    const tenant = this.#tenant();
    const request = { priority, tenant, route, sizes: route.steps.map(() => this.#exponential()) };
    const phase = measurement.at(nowMs);
    for (const count of countsOf(phase, request)) count.offered += 1;
    this.#send(request, nowMs, phase, scenario.retries ?? 0);
  }

  #send(request: Request, nowMs: number, phase: PhaseResult | undefined, retries: number): void {
    const { scenario, agenda, loop, server, retryRandom } = this.#parts;
    const counts = countsOf(phase, request);
    server.receive({
      ...request,
      refused: () => {
        for (const count of counts) count.refused += 1;
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
        if (endMs - nowMs > this.#deadlineMs) return;
        for (const count of counts) count.good += 1;
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
    return this.#drawn(this.#parts.scenario.routes, this.#totalWeight);
  }

  /** Scenarios without tenants draw nothing for them. */
  #tenant(): string | undefined {
    return this.#tenants.length === 0 ? undefined : this.#drawn(this.#tenants, this.#tenantsWeight).name;
  }

  #drawn<T extends { readonly weight: number }>(all: readonly T[], totalWeight: number): T {
    let left = this.#parts.random() * totalWeight;
    const drawn = all.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return drawn ?? (all.at(-1) as T);
  }
}

const weightOf = (all: readonly { readonly weight: number }[]): number =>
  all.reduce((sum, { weight }) => sum + weight, 0);

/** Where a request is counted: in its class, by its tenant and by its route. */
function countsOf(phase: PhaseResult | undefined, { priority, tenant, route }: Request): readonly Count[] {
  if (!phase) return [];
  const names = [tenant, route.name].filter((name) => name !== undefined);
  return [phase.classes[priority], ...names.map((name) => phase.of(name))];
}
