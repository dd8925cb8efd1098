// Why it is so: core/docs/why/http-steps.md

/** A request, or what a framework has put around Node's. */
interface Carrier {
  readonly rawHeaders?: object | null | undefined;
  readonly raw?: { readonly rawHeaders?: object | null | undefined } | null | undefined;
}

/**
 * Returns the object that carries, under symbols, what belongs to a request as long as it lives: Node's list of raw header fields. It
 * is an ordinary array. Express gives each request its own hidden class, and a further property would make another one, at the cost of
 * a dozen decisions; a WeakMap of requests would cost the garbage collector more than everything else. If there is no such list, or
 * somebody has frozen it, it is Node's request, or the only one that there is.
 *
 * A copy of a request, and what a framework puts around it, have the same list. Whoever keeps something that a copy must not share
 * has to look whose it is.
 */
export function bearerOf(request: Carrier): object {
  const list = request.rawHeaders ?? request.raw?.rawHeaders;
  if (typeof list === 'object' && list !== null && Object.isExtensible(list)) return list;
  const { raw } = request;
  return typeof raw === 'object' && raw !== null ? raw : request;
}
