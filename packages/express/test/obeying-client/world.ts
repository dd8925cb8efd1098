import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { ManualClock } from '@sluice/core/testing';
import express, { type Request } from 'express';
import { MemoryStore, type RateLimitOptions, rateLimit } from '../../src/index.js';
import { Flight, type Hold } from './flight.js';
import type { Answer, Wire } from './wire.js';

export interface Sending {
  readonly hold?: Hold;
  /** Who sends it. */
  readonly key?: string;
  readonly onAnswer?: (answer: Answer) => void;
}

/** An application with limiters, one behind the other, whose requests can be kept on their way. */
export class World {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore({ clock: this.clock });
  readonly #wire: Wire;
  readonly #flights = new Map<string, Flight>();
  #sent = 0;
  #onRest: () => void = () => {};

  constructor(wire: Wire, policies: readonly RateLimitOptions[]) {
    const app = express();
    app.use((req, res, next) => {
      const flight = this.#flightOf(req);
      flight.response = res;
      flight.arrival.pass(() => {
        next();
        // A memory store decides at once: what is not answered or held now is waiting for its turn.
        flight.isDecided = true;
      });
      this.#tellRest();
    });
    for (const policy of policies) app.use(rateLimit({ store: this.store, ...policy }));
    app.use((req, res) => {
      this.#flightOf(req).departure.pass(() => res.end());
    });
    this.#wire = wire;
    wire.serve = app;
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
    this.#wire.ask(`/?cost=${cost}`, { 'x-flight': flight.id, 'api-key': key }).then((answer) => {
      flight.answer = answer;
      this.#flights.delete(flight.id);
      onAnswer(answer);
      this.#tellRest();
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

  #flightOf(req: Request): Flight {
    return this.#flights.get(req.get('x-flight') as string) as Flight;
  }

  /** Resolves when nothing moves any more. */
  #settle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRest = resolve;
      this.#tellRest();
    });
  }

  #tellRest(): void {
    if (this.inFlight.every(({ rests }) => rests)) this.#onRest();
  }
}
