import { keptBack } from '../../algorithms/arithmetic/margin.js';
import type { LimitCheck } from '../../stores/store.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { Limit } from '../../values/limit.js';
import { refusedKeyOf } from '../guarantee.js';
import { isCounted } from '../store-client.js';
import { Flow } from './flow.js';
import { KeyedLimit } from './keyed-limit.js';
import { type Order, type Quantum, scheduleOf } from './schedule.js';

/** Finds the flows of a line, and the limits that they share. */
export class FlowTable<A, R> {
  readonly #order: Order;
  readonly #quantum: Quantum;
  readonly #flows = new Map<string, Flow<A, R>>();
  readonly #limits = new Map<string, KeyedLimit<Flow<A, R>>>();

  constructor(order: Order, quantum: Quantum) {
    this.#order = order;
    this.#quantum = quantum;
  }

  get isEmpty(): boolean {
    return this.#flows.size === 0;
  }

  /**
   * Returns the flow of requests with these checks, and makes it if there is none; undefined if no limit can refuse
   * them.
   *
   * @param key - the key of the line. Without one, requests with the same limits and keys are one flow
   */
  flowOf(checks: readonly LimitCheck[], key: string): Flow<A, R> | undefined {
    let id = `${key.length}:${key}`;
    let mayRefuse = false;
    for (const check of checks) {
      if (!isLimiting(check)) continue;
      const own = limitId(check);
      id += `${own.length}:${own}`;
      mayRefuse = true;
    }
    return mayRefuse ? getOrCreate(this.#flows, id, () => this.#newFlow(id, checks)) : undefined;
  }

  /** Removes a flow that nobody is in. Returns the limits that no flow needs any more. */
  remove(flow: Flow<A, R>): readonly KeyedLimit<Flow<A, R>>[] {
    this.#flows.delete(flow.id);
    const unused = flow.limits.filter((limit) => {
      limit.flows -= 1;
      return limit.flows === 0;
    });
    for (const { id } of unused) this.#limits.delete(id);
    return unused;
  }

  #newFlow(id: string, checks: readonly LimitCheck[]): Flow<A, R> {
    const limiting = checks.filter(isLimiting);
    const limits = limiting.map((check) => getOrCreate(this.#limits, limitId(check), () => this.#newLimit(check)));
    for (const limit of limits) limit.flows += 1;
    const positions = limiting.map((check) => checks.indexOf(check));
    return new Flow(id, limits, positions, this.#order === 'newest');
  }

  #newLimit(check: LimitCheck): KeyedLimit<Flow<A, R>> {
    return new KeyedLimit(limitId(check), check, scheduleOf(this.#order, this.#quantum));
  }
}

function isLimiting(check: LimitCheck): boolean {
  return !check.shadow && isCounted(check);
}

/**
 * Names what refuses a request: the limit by its name and its numbers, because a function may choose others for the
 * next request; the units that it leaves to others; and the key.
 */
function limitId(check: LimitCheck): string {
  const { name, limit } = check;
  const numbers = getOrCreate(numbersOf, limit, () => JSON.stringify(limit));
  return `${name.length}:${name}${numbers}${keptBack(check.margin ?? 0)}:${refusedKeyOf(check)}`;
}

/** The text of each limit. A function may make the same limit anew for each request. */
const numbersOf = new WeakMap<Limit, string>();
