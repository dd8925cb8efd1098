import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { AdapterOptions, AdapterTools, RunningAdapter, StartAdapter } from '@sluice/conformance';
import { MemoryStore } from '@sluice/core';
import { QueueClock } from '../queue-clock.js';
import { until } from '../until.js';
import { type Item, optionsOf } from './arbitrary-policies.js';
import { Flight, type Hold } from './flight.js';
import { type Answer, Wire } from './wire.js';

interface Sending {
  readonly hold?: Hold;
  /** Who sends it. */
  readonly key?: string;
  readonly onAnswer?: (answer: Answer) => void;
}

/** Longer than the wait for any turn, and shorter than the renewal of any lease. */
const LONGEST_TURN_MS = 86_400_000;

/** An application with limiters, one behind the other. Its requests can be held on their way. */
export class World {
  readonly clock = new QueueClock();
  readonly #store = new MemoryStore({ clock: this.clock });
  readonly #flights = new Map<string, Flight>();
  #sent = 0;
  #running: RunningAdapter | undefined;
  #wire: Wire | undefined;

  /** Serves the policies while `body` runs. */
  static async with(
    start: StartAdapter,
    policies: readonly (readonly Item[])[],
    body: (world: World) => Promise<void>,
  ): Promise<void> {
    const world = new World();
    try {
      await world.#serve(start, policies);
      await body(world);
    } finally {
      await world.#close();
    }
  }

  /** Requests that have not been answered. */
  get inFlight(): readonly Flight[] {
    return [...this.#flights.values()];
  }

  /** Sends a request and lets it go as far as it can. */
  async send(cost: number, { hold = {}, key = 'ann', onAnswer = () => {} }: Sending = {}): Promise<Flight> {
    this.#sent += 1;
    const flight = new Flight(`flight-${this.#sent}`, hold);
    this.#flights.set(flight.id, flight);
    this.#wire?.ask(`/?cost=${cost}&flight=${flight.id}`, { 'api-key': key }).then((answer) => {
      flight.answer = answer;
      this.#flights.delete(flight.id);
      onAnswer(answer);
    });
    await this.#settle();
    return flight;
  }

  /** Opens the gate that a request stands at. */
  async release(flight: Flight): Promise<void> {
    if (flight.arrival.isShut) flight.arrival.open();
    else flight.departure.open();
    await turnOfTheLoop();
    await this.#settle();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await turnOfTheLoop();
    await this.#settle();
  }

  /** Opens every gate and lets time pass until every request is answered. */
  async land(): Promise<void> {
    while (this.#flights.size > 0) {
      for (const flight of this.inFlight) await this.release(flight);
      for (const flight of this.inFlight) await this.release(flight);
      if (this.#flights.size > 0) await this.pass(1000);
    }
  }

  async #serve(start: StartAdapter, policies: readonly (readonly Item[])[]): Promise<void> {
    this.#running = await start({
      policies: (tools) => this.#gated(optionsOf(policies, tools), tools),
      handle: async ({ path }) => {
        await this.#flightOf(path).departure.pass();
        return { status: 200, body: 'ok' };
      },
    });
    this.#wire = new Wire(this.#running.url);
  }

  /** The gate of arrivals is where the first limiter asks whether to count the request. */
  #gated(policies: readonly AdapterOptions[], tools: AdapterTools): AdapterOptions[] {
    const skip: AdapterOptions['skip'] = (...args) =>
      this.#flightOf(tools.requestOf(args).url)
        .arrival.pass()
        ?.then(() => false) ?? false;
    return policies.map((policy, i) => ({ store: this.#store, ...policy, ...(i === 0 && { skip }) }));
  }

  #flightOf(url: string): Flight {
    return this.#flights.get(/flight-\d+/.exec(url)?.[0] as string) as Flight;
  }

  /** Resolves when nothing moves any more: each request is answered, held at a gate, or waits for its turn. */
  async #settle(): Promise<void> {
    const isMoving = (): boolean =>
      this.inFlight.filter(({ isKept }) => !isKept).length > this.clock.asleep(LONGEST_TURN_MS);
    await until(() => !isMoving());
  }

  async #close(): Promise<void> {
    this.#wire?.close();
    await this.#running?.close();
    this.#store.close();
  }
}
