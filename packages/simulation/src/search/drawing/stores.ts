import { longestLeaseMs } from '../../tape/longest-lease.js';
import { featureOver, nestingOf } from '../../tape/nesting.js';
import type { ServerSetup, StoreSetup } from '../../tape/tape.js';
import type { Draws } from './draws.js';
import { ALGORITHM_NAMES, type AlgorithmName } from './limits.js';

/** A store, and what it can count. */
export interface DrawnStore {
  readonly store: StoreSetup;
  readonly servers: readonly ServerSetup['kind'][];
  readonly algorithms: readonly AlgorithmName[];
  /** Whether it counts a limit with a tolerance. */
  readonly takesMargins: boolean;
  /** Whether it counts a limit with guaranteed parts. */
  readonly takesGuarantees: boolean;
  /** Whether a request may have leaky buckets of several keys. */
  readonly leaksTogether: boolean;
  /** Whether requests about several subjects are decided in several places. */
  readonly isSharded: boolean;
  /** How long its servers are waited for. */
  readonly timeoutMs: number;
  /** How much later than it is charged a unit may be spent. 0: at once. */
  readonly leaseMs: number;
}

/** Draws stores in front of each other, as far as they may stand there. */
export function drawStore(draws: Draws, processes: number, typicalMs: number): DrawnStore {
  const drawing = new StoreDrawing(draws, processes, typicalMs);
  const store = drawing.store();
  if (nestingOf(store) !== 'allowed') throw new Error(`nobody can make this store: ${JSON.stringify(store)}`);
  return {
    store,
    servers: drawing.servers,
    algorithms: ALGORITHM_NAMES.filter((name) => featureOver(name, store) === 'allowed'),
    takesMargins: featureOver('margins', store) === 'allowed',
    takesGuarantees: featureOver('guarantee', store) === 'allowed',
    leaksTogether: featureOver('leaky-buckets-of-several-subjects', store) === 'allowed',
    isSharded: isSharded(store),
    timeoutMs: drawing.timeoutMs,
    leaseMs: longestLeaseMs(store),
  };
}

/** Draws a tree of stores. Each store over a server has a server of its own. */
class StoreDrawing {
  readonly servers: ServerSetup['kind'][] = [];
  readonly #draws: Draws;
  readonly #typicalMs: number;
  readonly #options: { readonly timeoutMs: number; readonly instances: number };

  constructor(draws: Draws, processes: number, typicalMs: number) {
    this.#draws = draws;
    this.#typicalMs = typicalMs;
    this.#options = {
      timeoutMs: draws.of([50, 50, draws.scaled(20, 1000), draws.scaled(1000, 5000)]),
      instances: draws.happens(0.85) ? processes : draws.whole(1, processes + 1),
    };
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  store(): StoreSetup {
    return this.#draws.weighted<() => StoreSetup>([
      [8, () => ({ kind: 'memory' })],
      [6, () => this.#single('redis')],
      [4, () => this.#single('table')],
      [14, () => this.#sharded(() => this.#anyNode())],
      [12, () => this.#inFront('leased', this.#behindSlices())],
      [3, () => this.#inFront('synced', this.#behindSlices())],
    ])();
  }

  #single(kind: ServerSetup['kind']): StoreSetup {
    this.servers.push(kind);
    return { kind, server: this.servers.length - 1, ...this.#options };
  }

  #anySingle(): StoreSetup {
    return this.#single(this.#draws.happens(0.7) ? 'redis' : 'table');
  }

  #behindSlices(): StoreSetup {
    return this.#draws.happens(0.75) ? this.#anySingle() : this.#sharded(() => this.#exactNode());
  }

  #sharded(node: () => StoreSetup): StoreSetup {
    const first = node();
    // Each node of a usual application is like the others.
    const isAlike = this.#draws.happens(0.8);
    const others = Array.from({ length: this.#draws.whole(1, 2) }, () => (isAlike ? this.#anotherLike(first) : node()));
    return { kind: 'sharded', nodes: [first, ...others] };
  }

  #anotherLike(store: StoreSetup): StoreSetup {
    switch (store.kind) {
      case 'memory':
        return store;
      case 'sharded':
        return { ...store, nodes: store.nodes.map((node) => this.#anotherLike(node)) };
      case 'leased':
      case 'synced':
        return { ...store, of: this.#anotherLike(store.of) };
      default:
        return this.#single(store.kind);
    }
  }

  #anyNode(): StoreSetup {
    return this.#draws.weighted<() => StoreSetup>([
      [10, () => this.#exactNode()],
      [1, () => this.#inFront('leased', this.#anySingle())],
      [1, () => this.#inFront('synced', this.#anySingle())],
    ])();
  }

  #exactNode(): StoreSetup {
    return this.#draws.happens(0.93) ? this.#anySingle() : this.#sharded(() => this.#anySingle());
  }

  #inFront(kind: 'leased' | 'synced', of: StoreSetup): StoreSetup {
    const ms = this.#lease();
    return kind === 'leased' ? { kind, of, leaseMs: ms } : { kind, of, syncMs: ms, slice: this.#draws.scaled(1, 20) };
  }

  /** Leases are much shorter than the windows that they serve, or useless. Now and then, they are not. */
  #lease(): number {
    const typicalMs = this.#typicalMs;
    if (this.#draws.happens(0.1)) return this.#draws.scaled(10, 3 * typicalMs);
    return this.#draws.scaled(Math.max(50, typicalMs / 500), Math.max(100, typicalMs / 12));
  }
}

function isSharded(store: StoreSetup): boolean {
  return store.kind === 'sharded' || ('of' in store && isSharded(store.of));
}
