/** The parts of a request that are not `GET /`. */
export interface Say {
  readonly method?: 'get' | 'head' | 'post' | 'put' | 'delete' | 'patch';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client behind the trusted proxy. */
export function from(ip: string): Say {
  return { headers: { 'X-Forwarded-For': ip } };
}

/** A client with an API key. */
export function withKey(key: string): Say {
  return { headers: { 'API-Key': key } };
}

/** Returns a thing this many times. */
export function times<T>(count: number, thing: T): T[] {
  return Array.from({ length: count }, () => thing);
}
