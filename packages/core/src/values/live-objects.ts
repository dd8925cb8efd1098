/** Returns what to say of a client or a request that was passed in place of options, given the known ones. */
export function suggestionForLiveObject(given: object, known: readonly string[]): string | undefined {
  const { on, call } = given as { on?: unknown; call?: unknown };
  if (known.includes('client') && (typeof on === 'function' || typeof call === 'function'))
    return 'not a client: pass { client }';
  if (!isRequest(given)) return undefined;
  const whole = known.includes('standardHeaders')
    ? 'app.use(rateLimit({ ... }))'
    : 'such as byIp() or slidingWindow({ ... })';
  return `not a request: call the function, ${whole}`;
}

/** Whether it is a request of Node.js, Fastify, fetch or Hono: somebody has written the name of a function in place of its call. */
function isRequest(given: object): boolean {
  const isHono = 'req' in given && 'finalized' in given;
  return isHono || ('headers' in given && ('rawHeaders' in given || 'raw' in given || 'bodyUsed' in given));
}
