import type { BlockOrder, BlockRange } from '@sluice/core/src/stores/blocks';
import type {
  Change,
  ChangeResponse,
  LimitCheck,
  Store,
  StoreRequest,
  StoreResponse,
  StoreVerdict,
  Target,
} from '@sluice/core/src/stores/store';
import { reasonOf, SluiceError } from '@sluice/core/src/values/error';

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

/** One call of a store, as it can be sent to where the store is. */
export type StoreCall = {
  readonly [Method in keyof Arguments]: {
    /** What is called: a method of the store, or of its blocks. */
    readonly method: Method;
    /** What it is called with. `list` has two arguments, in this order. */
    readonly argument: Arguments[Method];
  };
}[keyof Arguments];

/** A store that can be asked from elsewhere. */
type CalledStore = Store & { readonly blocks: NonNullable<Store['blocks']> };

const METHODS: { readonly [Method in keyof Arguments]: (store: CalledStore, argument: Arguments[Method]) => unknown } =
  {
    consume: (store, request) => store.consume(request),
    adjust: (store, change) => store.adjust(change),
    reset: (store, targets) => store.reset(targets),
    block: (store, order) => store.blocks.block(order),
    unblock: (store, targets) => store.blocks.unblock(targets),
    find: (store, targets) => store.blocks.find(targets),
    list: (store, [policy, range]) => store.blocks.list(policy, range),
  };

/**
 * Makes a call, and returns its result: a promise if the store is asynchronous.
 *
 * @throws SluiceError `SLUICE_STORE` if there is no such call in this version
 */
export function makeCall(store: CalledStore, { method, argument }: StoreCall): unknown {
  if (!Object.hasOwn(METHODS, method))
    throw new SluiceError('SLUICE_STORE', `a store has no call ${JSON.stringify(method)}`);
  return (METHODS[method] as (store: CalledStore, argument: unknown) => unknown)(store, argument);
}

/**
 * Returns the result of a call that a message has carried. Its verdicts have the limits of the checks again, and not copies: whoever asked knows
 * a limit by its object, as `tierOf` of `@sluice/config` does.
 */
export function withOwnLimits({ method, argument }: StoreCall, result: unknown): unknown {
  if (method !== 'consume' && method !== 'adjust') return result;
  const response = result as StoreResponse | ChangeResponse;
  return { ...response, verdicts: response.verdicts.map((verdict, i) => ownVerdict(verdict, argument.checks[i])) };
}

function ownVerdict(verdict: StoreVerdict, check: LimitCheck | undefined): StoreVerdict {
  if (!check) return verdict;
  const { limit, parts } = check;
  if (!parts || !verdict.parts) return { ...verdict, limit };
  const { own, all } = verdict.parts;
  return { ...verdict, limit, parts: { own: ownVerdict(own, parts.own), all: ownVerdict(all, parts.all) } };
}

/** An error as a message carries it. */
export type CarriedError = Pick<SluiceError, 'code' | 'message' | 'path' | 'atMs' | 'storeFailure'>;

/**
 * Returns what a message carries of an error.
 *
 * @param who - names what has failed, for an error that is none of ours: `the primary`
 */
export function carried(error: unknown, who: string): CarriedError {
  if (!(error instanceof SluiceError)) return { code: 'SLUICE_STORE', message: `${who} failed: ${reasonOf(error)}` };
  const { code, path, atMs, storeFailure } = error;
  return {
    code,
    // The constructor adds the code again.
    message: reasonOf(error),
    ...(path !== undefined && { path }),
    ...(atMs !== undefined && { atMs }),
    ...(storeFailure && { storeFailure }),
  };
}

/** Returns the error that a message has carried. */
export function errorOf({ code, message, ...details }: CarriedError): SluiceError {
  return new SluiceError(code, message, details);
}
