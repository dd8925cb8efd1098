import { portOf, wholeNumber } from './variables.js';

/** What the environment says of the process. */
export interface Settings {
  readonly port: number;
  /** Whose `X-Forwarded-For` is believed: addresses, subnets or names such as `'loopback'`; false: nobody's. */
  readonly trustProxy: string | false;
  /** Where requests are counted; undefined: in this process. */
  readonly redisUrl: string | undefined;
  /** How many processes count there together. */
  readonly instances: number;
}

/** An empty variable is none. Call it in `main`, so that `run` tells what is wrong. */
export function settingsFrom({ PORT, TRUST_PROXY, REDIS_URL, INSTANCES }: NodeJS.ProcessEnv): Settings {
  return {
    port: portOf('PORT', PORT || '3000'),
    trustProxy: TRUST_PROXY || false,
    redisUrl: REDIS_URL || undefined,
    instances: wholeNumber('INSTANCES', INSTANCES || '1', { least: 1 }),
  };
}
