import type { Quota } from './upstream-limiter.js';

/** The environment of a process, with defaults for a try-out on one machine. */
export interface Settings {
  readonly redisUrl: string;
  readonly port: number;
  readonly upstreamUrl: string;
  readonly quota: Quota;
}

export function settingsFrom({
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  UPSTREAM_URL = 'http://127.0.0.1:3001',
  UPSTREAM_LIMIT = '50',
  UPSTREAM_WINDOW_MS = '2500',
  UPSTREAM_TRAVEL_MS = '500',
}: NodeJS.ProcessEnv): Settings {
  return {
    redisUrl: REDIS_URL,
    port: Number(PORT),
    upstreamUrl: UPSTREAM_URL,
    quota: {
      limit: Number(UPSTREAM_LIMIT),
      windowMs: Number(UPSTREAM_WINDOW_MS),
      travelMs: Number(UPSTREAM_TRAVEL_MS),
    },
  };
}
