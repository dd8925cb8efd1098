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

export function settingsFrom({
  PORT = '3000',
  TRUST_PROXY = '',
  REDIS_URL,
  INSTANCES = '1',
}: NodeJS.ProcessEnv): Settings {
  return {
    port: Number(PORT),
    trustProxy: TRUST_PROXY || false,
    redisUrl: REDIS_URL || undefined,
    instances: Number(INSTANCES),
  };
}
