import { portOf, wholeNumber } from '@sluice/example-shared';
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
  PORT,
  UPSTREAM_URL = 'http://127.0.0.1:3001',
  UPSTREAM_LIMIT = '50',
  UPSTREAM_WINDOW_MS = '2500',
  UPSTREAM_TRAVEL_MS = '500',
}: NodeJS.ProcessEnv): Settings {
  return {
    redisUrl: REDIS_URL,
    port: portOf('PORT', PORT || '3000'),
    upstreamUrl: UPSTREAM_URL,
    quota: {
      limit: wholeNumber('UPSTREAM_LIMIT', UPSTREAM_LIMIT, { least: 1 }),
      windowMs: wholeNumber('UPSTREAM_WINDOW_MS', UPSTREAM_WINDOW_MS, { least: 1 }),
      travelMs: wholeNumber('UPSTREAM_TRAVEL_MS', UPSTREAM_TRAVEL_MS),
    },
  };
}
