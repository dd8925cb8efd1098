import promClient from 'prom-client';
import type { PrometheusClient, PrometheusRegistry } from '../src/index.js';

/** A library of Prometheus metrics, as its users import it. */
export interface Library extends PrometheusClient {
  readonly Registry: new () => PrometheusRegistry & { setContentType(type: string): void };
}

const [major] = process.versions.node.split('.');

/** The libraries that run on this version of Node. */
export const LIBRARIES: readonly (readonly [name: string, library: Library])[] = [
  ['prom-client', promClient],
  // It says that it needs Node 22.
  ...(Number(major) >= 22 ? [['@prometheus-io/client', require('@prometheus-io/client') as Library] as const] : []),
];
