/** What the application knows about a request beside the request itself. Add properties of your own for your callbacks. */
export interface FetchContext {
  /**
   * The address of the client, or a function that returns it. A `Request` has none: each runtime tells it in its own way. Null and
   * undefined mean that nobody knows it. Then a limit without a `keyGenerator` is an error, `SLUICE_KEY`.
   *
   * @example await limit(request, { address: () => event.getClientAddress() })
   */
  readonly address?: string | null | undefined | (() => string | null | undefined);
}

/** The context as an argument. It can be left out if it has no property that must be there. */
export type ContextArgument<C extends FetchContext> = FetchContext extends C ? [context?: C] : [context: C];

/** Returns the context that was passed. Callbacks always get one. */
export function contextOf<C extends FetchContext>([context]: readonly [context?: C]): C {
  // Without a context, its type says that nothing has to be there.
  return context ?? ({} as C);
}
