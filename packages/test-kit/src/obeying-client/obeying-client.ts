import type { IncomingHttpHeaders } from 'node:http';
import { parseList } from 'structured-headers';

/** Returns the cost of a request on the limit with this name: the price list that an API publishes. */
export type Price = (name: string, cost: number) => number;

/** What a response says about one limit. */
interface AdvertisedLimit {
  readonly available: number;
  /** Undefined if waiting brings no more. */
  readonly effectiveMs: number | undefined;
  /** For a concurrency limit: how many may be open at once. */
  readonly slots: number | undefined;
}

/** A request that was answered. */
interface Answered {
  readonly cost: number;
  readonly receivedAs: number;
  readonly limitStates: ReadonlyMap<string, AdvertisedLimit>;
}

/** A request whose answer has not come. */
export interface InFlight {
  readonly cost: number;
  readonly sentAs: number;
}

/**
 * A client that obeys the header fields, and knows nothing else of how it stands.
 *
 * - Of answers that overlap, none can be called the latest: it believes the smallest `r` of them, the longest `t`, and the lowest cost.
 * - Requests in flight count as spent.
 * - It sends what fits into `r` of every limit; where it does not fit, after `t` quiet seconds, one request costing at most
 *   the answered one. Quiet is when nothing is sent and nothing is in flight.
 * - After a refusal it sends nothing until `Retry-After`.
 * - Of a limit of concurrency it keeps at most `q` requests open.
 */
export class ObeyingClient {
  readonly #price: Price;
  readonly #inFlight = new Set<InFlight>();
  /** Responses after which no response to a later request has come. */
  #beliefs: Answered[] = [];
  #events = 0;
  #quietSinceMs = 0;
  #notBeforeMs = 0;

  constructor(price: Price) {
    this.#price = price;
  }

  /** The lowest cost among the requests that the client's knowledge is about; undefined before the first response. */
  get answeredCost(): number | undefined {
    return this.#beliefs.length === 0 ? undefined : Math.min(...this.#beliefs.map(({ cost }) => cost));
  }

  /** How long the client has to wait before it may send this; undefined if waiting does not help now. */
  mayAfterMs(cost: number, nowMs: number): number | undefined {
    // Before the first response it sends one request, to find out.
    if (this.#beliefs.length === 0) return this.#inFlight.size === 0 ? 0 : undefined;
    let afterMs = Math.max(0, this.#notBeforeMs - nowMs);
    for (const name of new Set(this.#beliefs.flatMap(({ limitStates }) => [...limitStates.keys()]))) {
      const ms = this.#fitsAfterMs(name, cost, nowMs);
      if (ms === undefined) return undefined;
      afterMs = Math.max(afterMs, ms);
    }
    return afterMs;
  }

  send(cost: number): InFlight {
    const request = { cost, sentAs: this.#nextEvent() };
    this.#inFlight.add(request);
    return request;
  }

  answered(request: InFlight, headers: IncomingHttpHeaders, nowMs: number): void {
    const { cost, sentAs } = request;
    this.#inFlight.delete(request);
    this.#quietSinceMs = nowMs;
    const retryAfter = headers['retry-after'];
    if (retryAfter !== undefined) this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs + Number(retryAfter) * 1000);
    this.#beliefs = this.#beliefs.filter(({ receivedAs }) => receivedAs > sentAs);
    this.#beliefs.push({ cost, receivedAs: this.#nextEvent(), limitStates: advertisedLimits(headers) });
  }

  #fitsAfterMs(name: string, cost: number, nowMs: number): number | undefined {
    const believed = this.#beliefs.flatMap(({ cost, limitStates }) => {
      const limitState = limitStates.get(name);
      return limitState ? [{ ...limitState, price: this.#price(name, cost) }] : [];
    });
    const slots = believed[0]?.slots;
    if (slots !== undefined) return this.#inFlight.size < slots ? 0 : undefined;

    const price = this.#price(name, cost);
    if (price <= Math.min(...believed.map(({ available }) => available)) - this.#spentInFlight(name)) return 0;
    if (this.#inFlight.size > 0 || believed.some((answer) => answer.price < price)) return undefined;
    const quietMs = Math.max(...believed.map(({ effectiveMs }) => effectiveMs ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(quietMs) ? Math.max(0, this.#quietSinceMs + quietMs - nowMs) : undefined;
  }

  #spentInFlight(name: string): number {
    return [...this.#inFlight].reduce((sum, { cost }) => sum + this.#price(name, cost), 0);
  }

  #nextEvent(): number {
    this.#events += 1;
    return this.#events;
  }
}

function advertisedLimits(headers: IncomingHttpHeaders): Map<string, AdvertisedLimit> {
  const slots = new Map(
    items(headers['ratelimit-policy'])
      .filter(([, parameters]) => parameters.get('qu') === 'concurrent-requests')
      .map(([name, parameters]) => [name, Number(parameters.get('q'))]),
  );
  return new Map(
    items(headers.ratelimit).map(([name, parameters]) => {
      const seconds = parameters.get('t');
      const effectiveMs = seconds === undefined ? undefined : Number(seconds) * 1000;
      return [name, { available: Number(parameters.get('r')), effectiveMs, slots: slots.get(name) }];
    }),
  );
}

function items(field: string | string[] | undefined): [name: string, parameters: ReadonlyMap<string, unknown>][] {
  return parseList(String(field ?? '')).map(([name, parameters]) => [String(name), parameters]);
}
