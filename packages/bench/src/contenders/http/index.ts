import { PROXIES, type Serve, VARIANTS, type Variant } from './serve.js';

export interface Host {
  /** What its users would otherwise take; absent if it is not compared. */
  readonly peer?: string;
  /** Whether clients ask over HTTP/2, without TLS. */
  readonly isHttp2?: true;
  readonly serve: () => Promise<Serve>;
}

const throttler = '@nestjs/throttler';

/** Every framework that has an adapter, loaded when asked for. */
export const HOSTS: ReadonlyMap<string, Host> = new Map([
  ['Express', { peer: 'express-rate-limit', serve: async () => (await import('./express.js')).serve }],
  ['Fastify', { peer: '@fastify/rate-limit', serve: async () => (await import('./fastify.js')).serve }],
  ['Fastify, HTTP/2', { isHttp2: true, serve: async () => (await import('./fastify.js')).serveHttp2 }],
  ['Nest on Express', { peer: throttler, serve: async () => await nest('ExpressAdapter') }],
  ['Nest on Fastify', { peer: throttler, serve: async () => await nest('FastifyAdapter') }],
  ['Hono', { serve: async () => (await import('./hono.js')).serve }],
  ['Hono, HTTP/2', { isHttp2: true, serve: async () => (await import('./hono.js')).serveHttp2 }],
]);

/** What is compared on a host, by the names of tables. */
export function variantsOn(host: string): ReadonlyMap<string, Variant> {
  const peer = HOSTS.get(host)?.peer;
  return new Map(
    VARIANTS.flatMap((variant) => {
      const name = variant === 'peer' ? peer : variant;
      return name === undefined ? [] : [[name, variant] as const];
    }),
  );
}

async function nest(platform: 'ExpressAdapter' | 'FastifyAdapter'): Promise<Serve> {
  const { serveOn } = await import('./nest.js');
  if (platform === 'ExpressAdapter') {
    const { ExpressAdapter } = await import('@nestjs/platform-express');
    return serveOn((identity) => {
      const adapter = new ExpressAdapter();
      if (identity === 'address') adapter.getInstance().set('trust proxy', PROXIES);
      return adapter;
    });
  }
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  return serveOn((identity) => new FastifyAdapter({ trustProxy: identity === 'address' && PROXIES }));
}
