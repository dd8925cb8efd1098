import { createServer, type Server } from 'node:http';
import { metricsHandler } from '@sluice/metrics';
import type { Registry } from 'prom-client';
import { alertsHandler } from './alerts.js';

/**
 * What the operators see, on a port of its own: `/metrics` names every policy and its limits, which is nothing for those who are
 * limited. Alertmanager posts to `/alerts`.
 */
export function createObservedServer(registry: Registry, print: (line: string) => void): Server {
  const metrics = metricsHandler(registry);
  const alerts = alertsHandler(print);
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET' && pathname === '/metrics') metrics(request, response);
    else if (request.method === 'POST' && pathname === '/alerts') alerts(request, response);
    else response.writeHead(404).end();
  });
}
