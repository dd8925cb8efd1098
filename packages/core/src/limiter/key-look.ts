import { withCalendarBounds } from '../stores/calendar-checks.js';
import { allowedVerdict } from '../stores/reply.js';
import type { LimitCheck, StoreVerdict } from '../stores/store.js';
import type { Verdict } from '../values/decision.js';
import { SluiceError } from '../values/error.js';
import { type Eventual, mapInOrder, whenReady } from '../values/eventual.js';
import type { Key } from '../values/key.js';
import type { CheckBuilder } from './check-builder.js';
import type { StoreOutcome } from './fallback.js';
import type { KeyCounter, KeyCounts, KeyLimit, KeyView } from './policy/key-view.js';
import type { Item } from './policy/parse.js';
import type { ByKey } from './policy-by-key.js';
import { isCounted, type StoreClient } from './store-client.js';
import { verdictSteps } from './verdict-steps.js';

interface KeyLookParts {
  readonly policy: string;
  readonly items: readonly Item<never>[];
  readonly storeClient: StoreClient;
  /** Makes the checks of the items without a view. */
  readonly byKey: CheckBuilder<ByKey>;
}

/** Reads what a policy has counted for keys. It spends nothing, and is no request. */
export class KeyLook implements KeyCounter {
  readonly name: string;
  readonly #parts: KeyLookParts;
  readonly #views: readonly KeyView[];

  constructor(parts: KeyLookParts) {
    this.name = parts.policy;
    this.#parts = parts;
    this.#views = [...new Set(parts.items.flatMap(({ keyView }) => keyView ?? []))];
  }

  /** The views of its items. */
  get views(): readonly KeyView[] {
    return this.#views;
  }

  /** Looks at a key in every limit. */
  inspect(key: Key): Eventual<KeyCounts> {
    return whenReady(this.#parts.byKey.checks([key], undefined), (checks = []) =>
      whenReady(mapInOrder(this.#views, limitsIn, key, undefined), (limits) =>
        this.look([...checks.map(asLimit), ...limits.flat()]),
      ),
    );
  }

  look(limits: readonly KeyLimit[]): Eventual<KeyCounts> {
    const { policy, storeClient } = this.#parts;
    const { calendarBounds, store } = storeClient;
    const plain = limits.map(({ name, key, limit }): LimitCheck => ({ policy, name, key, limit, cost: 1 }));
    const checks = withCalendarBounds(calendarBounds, plain, store.clock.now());
    return storeClient.ask({ checks, peek: true }, (outcome) => this.#counts(limits, outcome));
  }

  #counts(limits: readonly KeyLimit[], { request, response, source }: StoreOutcome): KeyCounts {
    if (source !== 'store') {
      throw new SluiceError('SLUICE_STORE', `the store of the policy ${JSON.stringify(this.name)} does not answer`);
    }
    const counted = response.verdicts.values();
    const { items } = this.#parts;
    const steps = verdictSteps(items);
    const verdicts = request.checks.map((check, i): Verdict => {
      const verdict = isCounted(check) ? (counted.next().value as StoreVerdict) : allowedVerdict(check);
      const step = steps?.[items.findIndex(({ name }) => name === check.name)];
      const shownAs = limits[i]?.shownAs;
      const whole = step ? step(verdict, check, true, source) : verdict;
      return shownAs === undefined ? whole : { ...whole, name: shownAs };
    });
    return { atMs: response.atMs, verdicts };
  }
}

function limitsIn(view: KeyView, key: Key): Eventual<readonly KeyLimit[]> {
  return view.limitsOf(key);
}

function asLimit({ name, key, limit }: LimitCheck): KeyLimit {
  return { name, key, limit };
}
