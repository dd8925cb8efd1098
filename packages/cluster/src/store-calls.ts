import {
  type BlockOrder,
  type BlockRange,
  type Change,
  type MemoryStore,
  SluiceError,
  type StoreRequest,
  type Target,
} from '@sluice/core';

/** The calls of a store, each with its argument. */
interface Arguments {
  readonly consume: StoreRequest;
  readonly adjust: Change;
  readonly reset: readonly Target[];
  readonly block: BlockOrder;
  readonly unblock: readonly Target[];
  readonly find: readonly Target[];
  readonly list: readonly [policy: string, range: BlockRange];
}

/** One call of a store. */
export type StoreCall = {
  readonly [Method in keyof Arguments]: { readonly method: Method; readonly argument: Arguments[Method] };
}[keyof Arguments];

const METHODS: { readonly [Method in keyof Arguments]: (store: MemoryStore, argument: Arguments[Method]) => unknown } =
  {
    consume: (store, request) => store.consume(request),
    adjust: (store, change) => store.adjust(change),
    reset: (store, targets) => store.reset(targets),
    block: (store, order) => store.blocks.block(order),
    unblock: (store, targets) => store.blocks.unblock(targets),
    find: (store, targets) => store.blocks.find(targets),
    list: (store, [policy, range]) => store.blocks.list(policy, range),
  };

/** Makes a call, and returns its result. */
export function makeCall(store: MemoryStore, { method, argument }: StoreCall): unknown {
  return (METHODS[method] as (store: MemoryStore, argument: unknown) => unknown)(store, argument);
}

/** An error as the channel carries it. */
export type CarriedError = Pick<SluiceError, 'code' | 'message' | 'path' | 'atMs' | 'storeFailure'>;

/** Returns what the channel carries of an error. */
export function carried(error: unknown): CarriedError {
  if (!(error instanceof SluiceError)) return { code: 'SLUICE_STORE', message: `the primary failed: ${String(error)}` };
  const { code, path, atMs, storeFailure } = error;
  // The constructor adds the code again.
  const message = error.message.replace(new RegExp(` \\(${code}\\)$`), '');
  return {
    code,
    message,
    ...(path !== undefined && { path }),
    ...(atMs !== undefined && { atMs }),
    ...(storeFailure && { storeFailure }),
  };
}

/** Returns the error that the channel has carried. */
export function errorOf({ code, message, ...details }: CarriedError): SluiceError {
  return new SluiceError(code, message, details);
}
