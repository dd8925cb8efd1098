import { seededRandom } from '../seeded-random.js';
import { Agenda } from './agenda.js';
import { Clients } from './clients.js';
import { Downstream } from './downstream.js';
import type { Guard, MakeGuard } from './guard.js';
import { Measurement, type PhaseResult } from './measurement.js';
import { Processor } from './processor.js';
import type { Scenario } from './scenario.js';
import { SimulatedLoop } from './simulated-loop.js';
import { SimulatedServer } from './simulated-server.js';

const SAMPLE_MS = 100;

/**
 * Plays a scenario: clients, one server in front of its downstreams, and a guard that says which requests are served. Equal
 * scenarios and seeds give equal arrivals and equal work, whoever guards. Returns the results by the names of the phases.
 */
export function simulate(
  scenario: Scenario,
  makeGuard: MakeGuard,
  seed: number,
): Readonly<Record<string, PhaseResult>> {
  const agenda = new Agenda();
  const loop = new SimulatedLoop(agenda, new Processor(scenario.slices));
  const every = (intervalMs: number, task: () => void): void => loop.every(intervalMs, task);
  const downstreams = new Map(
    Object.entries(scenario.downstreams ?? {}).map(([name, options]) => [name, new Downstream(agenda, options)]),
  );
  const server = new SimulatedServer({
    agenda,
    loop,
    downstreams,
    refuseMs: scenario.refuseMs,
    newGuard: (truth) => makeGuard({ eventLoop: loop, random: seededRandom(3 * seed), every, truth }),
  });
  const measurement = new Measurement(scenario.phases);
  const [random, retryRandom] = [seededRandom(3 * seed + 1), seededRandom(3 * seed + 2)];
  const clients = new Clients({ scenario, agenda, loop, server, measurement, random, retryRandom });
  const endMs = clients.plan();
  const { pauses } = scenario;
  if (pauses) every(pauses.everyMs, () => loop.work(pauses.forMs));
  sample(server.guard, agenda, measurement, endMs);
  loop.run(endMs);
  // Those that a busy loop has not even seen also count.
  agenda.advance(endMs);
  return measurement.results;
}

/** Notes the state of the guard at intervals, without any effect on the event loop. */
function sample(guard: Guard, agenda: Agenda, measurement: Measurement, endMs: number): void {
  const note = (atMs: number): void => {
    const { state } = guard;
    if (state) {
      const { border, limit, inFlight } = state;
      measurement.at(atMs)?.samples.push({ atMs, border, limit, inFlight });
    }
    if (atMs < endMs) agenda.at(atMs + SAMPLE_MS, () => note(atMs + SAMPLE_MS));
  };
  agenda.at(SAMPLE_MS, () => note(SAMPLE_MS));
}
