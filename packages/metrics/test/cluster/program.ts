// A service of several processes. The primary shows the metrics of all workers; each worker also shows its own.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rateLimit } from '@sluice/express';
import express from 'express';
import { AggregatorRegistry, type Registry, register } from 'prom-client';
import { metricsHandler, prometheusMetrics } from '../../src/index.js';

/** Where the service and its metrics are. */
export interface Ports {
  readonly app: number;
  readonly aggregated: number;
  readonly workers: readonly number[];
}

const WORKERS = 4;

async function listen(handler: RequestListener, port = 0): Promise<number> {
  const server = createServer(handler).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Each worker has a port of its own beside the shared one: workers that listen on port 0 would share it. */
async function work(): Promise<void> {
  // A worker answers the primary only if it has made one, too.
  new AggregatorRegistry();
  prometheusMetrics({ registry: register });
  const app = express();
  app.get('/', rateLimit({ name: 'api', limit: 10, window: '1d' }), (_, res) => void res.send('fine'));
  const shared = await listen(app);
  const server = createServer(metricsHandler(register)).listen({ host: '127.0.0.1', port: 0, exclusive: true });
  await once(server, 'listening');
  process.send?.({ app: shared, own: (server.address() as AddressInfo).port });
}

async function lead(): Promise<void> {
  const aggregator = new AggregatorRegistry<Registry['contentType']>();
  const source = { contentType: aggregator.contentType, metrics: () => aggregator.clusterMetrics() };
  const aggregated = await listen(metricsHandler(source));
  const workers = Array.from({ length: WORKERS }, () => cluster.fork());
  const started = await Promise.all(workers.map(portsOf));
  process.send?.({ app: started[0]?.app, aggregated, workers: started.map(({ own }) => own) });
  process.once('disconnect', () => {
    for (const worker of workers) worker.process.kill();
    process.exit();
  });
}

/** The library sends messages, too. */
function portsOf(worker: Worker): Promise<{ readonly app: number; readonly own: number }> {
  return new Promise((resolve) => {
    worker.on('message', (message) => {
      if ('own' in message) resolve(message);
    });
  });
}

void (cluster.isPrimary ? lead() : work());
