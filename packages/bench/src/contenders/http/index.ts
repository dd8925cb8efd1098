import { PROXIES, type Serve } from './serve.js';

export interface Host {
  /** What its users would otherwise take. */
  readonly peer: string;
  readonly serve: () => Promise<Serve>;
}

const throttler = '@nestjs/throttler';

/** Every framework that has an adapter, loaded when asked for. */
export const HOSTS: ReadonlyMap<string, Host> = new Map([
  ['Express', { peer: 'express-rate-limit', serve: async () => (await import('./express.js')).serve }],
  ['Fastify', { peer: '@fastify/rate-limit', serve: async () => (await import('./fastify.js')).serve }],
  ['Nest on Express', { peer: throttler, serve: async () => await nest('ExpressAdapter') }],
  ['Nest on Fastify', { peer: throttler, serve: async () => await nest('FastifyAdapter') }],
]);

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
