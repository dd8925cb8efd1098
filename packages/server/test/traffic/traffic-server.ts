import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type LivePolicies, policies } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { httpServer } from '../../src/http/http-server.js';
import { RequestMetrics } from '../../src/metrics/request-metrics.js';
import { createService } from '../../src/service/create-service.js';
import type { Service } from '../../src/service/service.js';
import type { ServiceCall } from '../../src/service/service-call.js';
import { SERVICE_POLICIES } from '../../src/service/service-policies.js';
import { type TrafficRoutesOptions, trafficRoutes } from '../../src/traffic/traffic-routes.js';
import { type Answered, type Asked, ask } from '../ask.js';
import { TextSource } from '../text-source.js';

/** A server with the routes of balancers. */
export interface TrafficServer {
  readonly port: number;
  readonly clock: ManualClock;
  readonly source: TextSource;
  readonly live: LivePolicies<ServiceCall>;
  readonly service: Service;
  readonly requestMetrics: RequestMetrics;
  /** Errors of handlers that no client is to blame for. */
  readonly reported: readonly unknown[];
  ask(path: string, asked?: Asked): Promise<Answered>;
  close(): Promise<void>;
}

/** How a test starts it. */
export type TrafficServerOptions = Partial<Omit<TrafficRoutesOptions, 'service' | 'requestMetrics'>> & {
  readonly clock?: ManualClock;
  readonly store?: Store;
};

/** Serves the policies of a text on a free port. */
export async function startTraffic(
  text: string,
  {
    clock = new ManualClock(),
    store = new MemoryStore({ clock }),
    trustedProxies = ['127.0.0.1'],
    addressField,
  }: TrafficServerOptions = {},
): Promise<TrafficServer> {
  const source = new TextSource(text);
  const live = await policies<ServiceCall, boolean>({ source, store, ...SERVICE_POLICIES });
  const service = createService({ live, store });
  const requestMetrics = new RequestMetrics();
  const reported: unknown[] = [];
  const routes = trafficRoutes({ service, requestMetrics, trustedProxies, addressField });
  const server = httpServer(routes, (error) => reported.push(error));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    clock,
    source,
    live,
    service,
    requestMetrics,
    reported,
    ask: (path, asked) => ask(port, path, asked),
    async close() {
      server.close();
      server.closeAllConnections();
      await live.close();
    },
  };
}
