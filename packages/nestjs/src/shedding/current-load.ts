import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { LoadState } from '@sluice/core/application';
import type { HttpRequest } from '@sluice/core/http';
import { invocationOf } from '../invocation-of.js';

/** A request of a platform, perhaps around Node's. */
interface LoadedRequest extends HttpRequest {
  readonly load?: LoadState;
  readonly raw?: { readonly load?: LoadState };
}

/**
 * Gives a handler or a resolver the load of the process, to answer with less while it is busy; undefined if the request
 * did not pass `shedLoad` or the `LoadSheddingModule`.
 *
 * @example
 * class FeedController {
 *   @Get() feed(@CurrentLoad() load?: LoadState) { return load?.isShedding ? this.cached() : this.fresh(); }
 * }
 */
export const CurrentLoad: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext): LoadState | undefined => {
    const { load, raw }: LoadedRequest = invocationOf(context).request;
    return load ?? raw?.load;
  },
);
