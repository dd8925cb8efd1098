/** Who sends a request: a person, or one of four crawlers. */
export type Client = 'ann' | 'bob' | 'cid' | 'dan' | 'eve';

/** A request of the traffic that every picture shows. */
export interface Arrival {
  readonly atMs: number;
  readonly client: Client;
}

/** How long the traffic lasts. A picture shows all of it. */
export const TRAFFIC_MS = 60_000;

const CRAWLERS: readonly Client[] = ['bob', 'cid', 'dan', 'eve'];

/** Requests at equal distances, from this time on. The clients take turns. */
function steady(clients: readonly Client[], startMs: number, everyMs: number, count: number): Arrival[] {
  return Array.from({ length: count }, (_, i) => ({
    atMs: startMs + i * everyMs,
    client: clients[i % clients.length] as Client,
  }));
}

/**
 * A minute: Ann sends a request every 900 ms. The crawlers send 30 requests within three seconds, and later four a
 * second for 14 seconds.
 */
export const TRAFFIC: readonly Arrival[] = [
  ...steady(['ann'], 400, 900, 66),
  ...steady(CRAWLERS, 10_050, 100, 30),
  ...steady(CRAWLERS, 25_050, 250, 56),
].sort((a, b) => a.atMs - b.atMs);

export const isCrawler = ({ client }: Arrival): boolean => CRAWLERS.includes(client);
