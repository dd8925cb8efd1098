import type { Shedder } from '@sluice/core/application';
import { createShedding, type ShedLoadOptions as SharedOptions, type SheddingHost } from '@sluice/core/http';
import { type ContextArgument, contextOf, type FetchContext } from './fetch-context.js';
import { requestOf } from './fetch-request.js';

/** The options of `shedLoad`. Every callback gets the request and the context. */
export type ShedLoadOptions<C extends FetchContext = FetchContext> = SharedOptions<[request: Request, context: C]>;

/** The guard, with its shedder. */
export interface ShedLoadGuard<C extends FetchContext = FetchContext> {
  /**
   * Returns the response to send if the request is refused. Undefined means that it is admitted: then call `respond`, which tells when
   * the request has ended.
   */
  (request: Request, ...context: ContextArgument<C>): Response | undefined;
  /** Counts the requests in flight and reads the event loop. An `elastic` limit takes its `calm`. */
  readonly shedder: Shedder;
}

/**
 * Sheds load: while this process cannot keep up, it refuses the least important requests with status 503 and
 * `Retry-After`, so that all others are answered quickly. Call it before everything else, also before a limit.
 *
 * `loadOf(request)` tells handlers how busy the process is. They can then answer with less.
 *
 * It needs the event loop of Node. A runtime without it does not tell how long requests wait. There, set `loop: false`:
 * then requests in flight are limited, and nothing else is seen.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` without `loop: false` on a runtime that does not count the turns
 * of its event loop
 * @example
 * const shed = shedLoad({ priority: ({ url }) => (url.endsWith('/pay') ? 'critical' : 'normal') });
 * return shed(request) ?? (await limit(request, { address })) ?? respond(request, handler);
 */
export function shedLoad<C extends FetchContext = FetchContext>(options: ShedLoadOptions<C> = {}): ShedLoadGuard<C> {
  const { admit, shedder } = createShedding<[request: Request, context: C]>(options, host);
  const guard = (request: Request, ...rest: ContextArgument<C>): Response | undefined => {
    const context = contextOf<C>(rest);
    const fetchRequest = requestOf(request, context);
    const refusal = admit(request, context);
    return refusal && fetchRequest.refuse(new Response(refusal.body, refusal));
  };
  return Object.assign(guard, { shedder });
}

const SWITCHING_PROTOCOLS = 101;

const host: SheddingHost<[request: Request, context: FetchContext]> = {
  requestOf,
  urlOf: (request) => requestOf(request).url,
  keep: (load, request) => {
    requestOf(request).load = load;
  },
  onFields: (notify, request) => requestOf(request).ends.fieldsKnown(notify),
  onEnd: (notify, request) =>
    requestOf(request).ends.watch(request, (outcome) =>
      notify(isUpgrade(request) ? { ...outcome, status: SWITCHING_PROTOCOLS } : outcome),
    ),
  contentTypeOf: (request) => requestOf(request).response?.headers.get('content-type') ?? undefined,
};

/** Whether the response has made a WebSocket of the connection. Only some runtimes say so by its status. */
function isUpgrade({ headers }: Request): boolean {
  return headers.has('upgrade');
}
