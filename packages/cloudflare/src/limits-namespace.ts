/** The part of a namespace of Durable Objects that the store uses. A binding such as `env.LIMITS` has it. */
export interface LimitsNamespace {
  /** Returns the id of the object with this name, which is the same everywhere. */
  idFromName(name: string): unknown;
  /** Returns what reaches an object. It is created when it is first called. */
  get(id: unknown, options?: { readonly locationHint?: string }): LimitsStub;
}

/** What reaches an object. */
export interface LimitsStub {
  /** Sends a message to it, and resolves with its answer. */
  fetch(
    url: string,
    init: { readonly method: string; readonly body: string },
  ): Promise<{ readonly status: number; text(): Promise<string> }>;
}
