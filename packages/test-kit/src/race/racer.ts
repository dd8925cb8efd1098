import type { LimitCheck, Store, StoreRequest } from '@sluice/core';

/** What a racing process is told to do. */
export type Heat =
  /** Asks for the check so many times at once. */
  | { readonly kind: 'ask'; readonly check: LimitCheck; readonly count: number }
  /** So many times at once: takes a slot where one is free, counts those who hold one, and frees it. */
  | { readonly kind: 'hold'; readonly check: LimitCheck; readonly count: number };

/** The result of a heat. */
export interface Finish {
  readonly admitted: number;
  /** The most holders that were seen at once, in all processes. */
  readonly most: number;
}

/** What a racing process brings along. */
interface RacerOptions {
  readonly store: Store<true>;
  /** Counts one holder more, in all processes, and returns how many there are. */
  readonly enter: () => Promise<number>;
  /** Counts one holder less. */
  readonly leave: () => Promise<unknown>;
  /** Called when the race is over. */
  readonly disconnect: () => unknown;
}

const isSlot = ({ limit }: LimitCheck): boolean => limit.algorithm === 'concurrency';

/** A check of each process beside that of all, so that their questions have some keys in common and some not. */
const checksOf = (check: LimitCheck): readonly LimitCheck[] =>
  check.name.startsWith('together') ? [check, { ...check, name: 'own', key: `${process.pid}` }] : [check];

/** Races as the parent process says, from now on. Call it once the store can be asked. */
export function race({ store, enter, leave, disconnect }: RacerOptions): void {
  let ids = 0;

  function newId(): string {
    ids += 1;
    return `${process.pid}-${ids}`;
  }

  async function ask(own: Omit<StoreRequest, 'checks'>, checks: readonly LimitCheck[]): Promise<boolean> {
    const { allowed } = await store.consume({ checks, ...own });
    return allowed;
  }

  async function hold(check: LimitCheck): Promise<Finish> {
    const id = newId();
    if (!(await ask({ id }, [check]))) return { admitted: 0, most: 0 };
    const most = await enter();
    await leave();
    await store.adjust({ checks: [{ ...check, cost: -1 }], id });
    return { admitted: 1, most };
  }

  async function run({ kind, check, count }: Heat): Promise<Finish> {
    const one = async (): Promise<Finish> =>
      kind === 'hold'
        ? hold(check)
        : { admitted: Number(await ask(isSlot(check) ? { id: newId() } : {}, checksOf(check))), most: 0 };
    const finishes = await Promise.all(Array.from({ length: count }, one));
    return {
      admitted: finishes.reduce((sum, { admitted }) => sum + admitted, 0),
      most: Math.max(...finishes.map(({ most }) => most)),
    };
  }

  process.on('message', async (heat: Heat) => process.send?.(await run(heat)));
  process.on('disconnect', disconnect);
  process.send?.('ready');
}
