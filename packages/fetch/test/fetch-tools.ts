import type { AdapterAnswer, AdapterOptions, AdapterTools } from '@sluice/conformance';
import { type Decision, type FetchContext, type RateLimitGuard, rateLimit, responseOf } from '../src/index.js';

type Args = [request: Request, context: FetchContext];

export const pathOf = (url: string): string => url.slice(url.indexOf('/', 8));

export function responseWith({ status, body }: AdapterAnswer): Response {
  const isSentAsItIs = typeof body === 'string' || body instanceof ReadableStream;
  return isSentAsItIs ? new Response(body, { status }) : Response.json(body, { status });
}

/** The responses that the suite has a callback send: over fetch, a callback returns them. */
const answers = new WeakMap<Request, Response>();

/** What of a callback's arguments the suite reads. */
export const tools: AdapterTools = {
  requestOf: ([request]) => {
    const { method, url, headers } = request as Request;
    return { method, url: pathOf(url), headers: Object.fromEntries(headers) };
  },
  statusOf: ([request]) => responseOf(request as Request)?.status ?? 500,
  answer: ([request], answer) => {
    answers.set(request as Request, responseWith(answer));
  },
};

/** Makes a limit of options of the suite. */
export function limitOf(options: AdapterOptions): RateLimitGuard {
  const { onLimitReached } = options;
  if (!onLimitReached) return rateLimit<FetchContext>(options);
  const returning = async (...args: [...Args, decision: Decision]): Promise<Response | undefined> => {
    await onLimitReached(...args);
    return answers.get(args[0]);
  };
  return rateLimit<FetchContext>({ ...options, onLimitReached: returning }, options);
}
