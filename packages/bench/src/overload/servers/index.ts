import type { Handler } from '../handlers.js';
import type { Front, Protection } from '../protection.js';

/** Serves on a free port, and returns it. */
export type Serve = (front: Front, handler: Handler) => Promise<number>;

export interface Host {
  /** What its users can choose from. */
  readonly protections: readonly Protection[];
  readonly serve: () => Promise<Serve>;
}

/** The frameworks, loaded when asked for. */
export const HOSTS = {
  Express: {
    protections: ['none', 'toobusy-js', 'shedLoad'],
    serve: async () => (await import('./express.js')).serve,
  },
  Fastify: {
    protections: ['none', '@fastify/under-pressure', 'toobusy-js', 'shedLoad'],
    serve: async () => (await import('./fastify.js')).serve,
  },
  Nest: {
    protections: ['none', 'toobusy-js', 'shedLoad'],
    serve: async () => (await import('./nest.js')).serve,
  },
} as const satisfies Readonly<Record<string, Host>>;

export type HostName = keyof typeof HOSTS;
