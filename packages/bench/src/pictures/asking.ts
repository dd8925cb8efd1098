import { type Clock, createLine, type Decision, type Duration, type Limiter, SluiceError } from '@sluice/core';
import type { Arrival } from './traffic.js';

/** What a mode made of a request. */
export interface Turn {
  /** Absent if the request was refused without a decision: its line was full, or its turn would have come too late. */
  readonly decision?: Decision;
  /** How long the request waits until it is handled or refused. */
  readonly waitMs: number;
}

/** Asks a limiter about each request. */
export type Ask = (arrival: Arrival) => Turn | Promise<Turn>;

/** Makes what asks a limiter, on the clock of its store. */
export type Asking = (limiter: Limiter<Arrival, false>, clock: Clock) => Ask;

/** Asks, and waits for the delay of the decision. */
export const consuming: Asking = (limiter) => (arrival) => {
  const decision = limiter.consume(arrival);
  return { decision, waitMs: decision.delayMs };
};

/** Waits until the limiter allows the request. */
export function waiting(maxWait: Duration): Asking {
  return (limiter, clock) => async (arrival) => {
    const startMs = clock.now();
    const decision = await limiter.wait(arrival, { maxWait });
    return { decision, waitMs: clock.now() - startMs };
  };
}

/** Waits in a line that is fair between keys. */
export function inLine(maxWait: Duration, keyGenerator: (arrival: Arrival) => string): Asking {
  return (limiter, clock) => {
    const line = createLine({ limiter, keyGenerator, maxWait });
    return async (arrival) => {
      const startMs = clock.now();
      const waitMs = (): number => clock.now() - startMs;
      try {
        return await line.run(arrival, (_, decision) => ({ decision, waitMs: waitMs() }));
      } catch (error) {
        if (error instanceof SluiceError && error.code === 'SLUICE_REFUSED') return { waitMs: waitMs() };
        throw error;
      }
    };
  };
}

/** Blocks a key by hand at that time of the traffic. */
export function blocking(key: string, atMs: number): Asking {
  return (limiter, clock) => {
    const ask = consuming(limiter, clock);
    let isBlocked = false;
    return (arrival) => {
      if (!isBlocked && arrival.atMs >= atMs) {
        isBlocked = true;
        limiter.block(key, '1h');
      }
      return ask(arrival);
    };
  };
}
