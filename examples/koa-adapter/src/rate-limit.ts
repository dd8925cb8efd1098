import {
  createEnforcer,
  type Enforcement,
  type Host,
  type HttpOptions,
  onAnswer,
  onResponseEnd,
  type PolicyHandle,
  type RateLimitSource,
  REQUEST,
  type RequestCarrier,
  requestPoliciesOf,
} from '@sluice/core/http';
import type { Context, Middleware } from 'koa';

/** The options of `rateLimit`. Every callback gets Koa's context. */
export type RateLimitOptions = HttpOptions<[ctx: Context]>;

/** The middleware, and the handle of its policy. */
export type RateLimitMiddleware = PolicyHandle<[ctx: Context]> & Middleware;

type Fields = Readonly<Record<string, string>>;

/** Koa sends the header fields that an error has. */
interface KoaError {
  message?: string;
  headers?: Fields;
}

/**
 * Limits the requests that pass here. A request above the limit gets 429. `ctx.state.rateLimit` is the decision.
 *
 * @param owner - the object that the policy's name belongs to: a limiter that is made again with it counts on. Default: the
 * options
 * @throws SluiceError `SLUICE_OPTION` for a wrong option, `SLUICE_DUPLICATE_NAME` when the store has another policy of
 * this name
 * @example app.use(rateLimit({ limit: 100, window: '1m' }));
 */
export function rateLimit(options: RateLimitSource<[ctx: Context]>, owner: object = options): RateLimitMiddleware {
  const { enforce, countsByAddress: _, mayHoldSlots: __, ...handle } = createEnforcer(options, host, owner);
  const middleware: Middleware = async (ctx, next) => {
    let fields: Fields = {};
    try {
      const enforcement = await enforce(ctx);
      if (enforcement) {
        fields = await prepare(enforcement, ctx);
        if (await refuses(enforcement, ctx)) return;
      }
    } catch (reason) {
      throw asError(reason);
    }
    await runHandler(ctx, next, fields);
  };
  return Object.assign(middleware, handle);
}

/** What `@sluice/core/http` asks about a request of Koa. */
const host: Host<[ctx: Context]> = {
  requestOf: (ctx: Context & RequestCarrier) => (ctx[REQUEST] ??= ctx.request),
  onEnd: (notify, ctx) => onResponseEnd(ctx.res, notify),
  proxyTrust: ({ app }) => {
    if (!app.proxy) return 'none';
    // Without a number of proxies, Koa takes the address that the client may have written itself.
    return app.maxIpsCount > 0 ? 'some' : 'all';
  },
};

/** Sets the header fields and the decision. Returns the fields. */
async function prepare(step: Enforcement, ctx: Context): Promise<Fields> {
  // First, because the client may disconnect during any step.
  if (step.finish) {
    requestPoliciesOf(ctx.request).work.expectHandler((notify) => onAnswer(ctx.res, notify));
    onResponseEnd(ctx.res, step.finish);
  }
  const fields = { ...(await step.extraHeaders?.()), ...step.headers };
  if (step.reservation) ctx.state.rateLimit = step.reservation;
  for (const name of step.outdated ?? []) ctx.remove(name);
  ctx.set(fields);
  return fields;
}

/** Sends the refusal, or waits for the turn of an admitted request. Returns whether the request is over. */
async function refuses({ refuse, turn }: Enforcement, ctx: Context): Promise<boolean> {
  if (refuse) {
    const refusal = await refuse(() => isAnswered(ctx));
    if (!refusal) return true;
    ctx.status = refusal.status;
    ctx.body = refusal.body;
    // After the body, for which Koa chooses a content type.
    ctx.set(refusal.headers);
    return true;
  }
  if (!turn) return false;
  const gone = new AbortController();
  const stop = onResponseEnd(ctx.res, () => gone.abort());
  try {
    const refused = await turn(gone.signal);
    if (!refused) return false;
    await prepare(refused, ctx);
    return await refuses(refused, ctx);
  } catch (error) {
    if (gone.signal.aborted) return true;
    throw error;
  } finally {
    stop();
  }
}

/** Runs the handler. A slot is kept until it has ended, even if the client has disconnected. */
async function runHandler(ctx: Context, next: () => Promise<unknown>, fields: Fields): Promise<void> {
  const end = requestPoliciesOf(ctx.request).work.beginHandler();
  try {
    await next();
  } catch (reason) {
    const error = asError(reason);
    // Koa removes all header fields for an error, but for those that the error names.
    if (Object.isExtensible(error)) error.headers = { ...fields, ...error.headers };
    throw error;
  } finally {
    end();
  }
}

/** Koa sends the body when all middleware has returned. Until somebody sets a status or a body, the status is 404. */
function isAnswered(ctx: Context): boolean {
  return ctx.headerSent || ctx.respond === false || ctx.status !== 404 || ctx.body != null;
}

/** Koa takes null and undefined for no error, and would never respond. */
function asError(reason: unknown): KoaError {
  return typeof reason === 'object' && reason !== null ? reason : new Error('A function failed', { cause: reason });
}
