import { describe, expect, it } from '@jest/globals';
import {
  createLimiter,
  createLine,
  everyone,
  type Line,
  type LineOptions,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { manualStore, settled, sleepsOf, wakesOf } from '@sluice/test-kit/manual-store';
import fc from 'fast-check';

type Order = NonNullable<LineOptions<string>['order']>;

const CAPACITY = 4;
const PERIOD_MS = 100;

interface Listed {
  readonly id: number;
  readonly key: string;
  readonly units: number;
  readonly arrivedMs: number;
}

/** The line as plain lists: one for each key, and a bucket of `CAPACITY` that gets a unit in each `PERIOD_MS`. */
class ListModel {
  readonly order: Order;
  readonly admitted: number[] = [];
  nowMs = 0;
  /** In thousandths of a period, so that it is exact. */
  #level = CAPACITY * PERIOD_MS;
  #waiting: Listed[] = [];
  #turns: { readonly key: string; credit: number; hasTurn: boolean }[] = [];
  #quantum = 1;

  constructor(order: Order) {
    this.order = order;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get oldestMs(): number {
    return Math.max(0, ...this.#waiting.map(({ arrivedMs }) => this.nowMs - arrivedMs));
  }

  get ids(): number[] {
    return this.#waiting.map(({ id }) => id);
  }

  arrive(id: number, key: string, units: number): void {
    if (this.#waiting.length === 0) this.#quantum = 1;
    if ((this.#waiting.length === 0 || this.order === 'newest') && this.#spend(units)) {
      this.admitted.push(id);
      return;
    }
    this.#quantum = Math.max(this.#quantum, units);
    this.#waiting.push({ id, key, units, arrivedMs: this.nowMs });
    if (!this.#turns.some((turn) => turn.key === key)) this.#turns.push({ key, credit: 0, hasTurn: false });
    // Begins the turn of whoever is next, with the quantum of now: a later caller may make it larger.
    this.#serve();
  }

  leave(id: number): void {
    this.#remove(id);
    this.#serve();
  }

  advance(ms: number): void {
    for (let i = 0; i < ms; i += 1) {
      this.nowMs += 1;
      this.#level = Math.min(CAPACITY * PERIOD_MS, this.#level + 1);
      this.#serve();
    }
  }

  #serve(): void {
    for (let next = this.#next(); next && this.#spend(next.units); next = this.#next()) {
      const turn = this.#turns.find(({ key }) => key === next?.key);
      if (turn) turn.credit -= next.units;
      this.admitted.push(next.id);
      this.#remove(next.id);
    }
  }

  #next(): Listed | undefined {
    if (this.order === 'fifo') return this.#waiting[0];
    if (this.order === 'newest') return this.#waiting.at(-1);
    for (;;) {
      const [turn] = this.#turns;
      if (!turn) return undefined;
      const first = this.#waiting.find(({ key }) => key === turn.key) as Listed;
      if (!turn.hasTurn) {
        turn.hasTurn = true;
        turn.credit += this.#quantum;
      }
      if (turn.credit >= first.units) return first;
      turn.hasTurn = false;
      this.#turns.push(this.#turns.shift() as never);
    }
  }

  #spend(units: number): boolean {
    if (this.#level < units * PERIOD_MS) return false;
    this.#level -= units * PERIOD_MS;
    return true;
  }

  #remove(id: number): void {
    const gone = this.#waiting.find((one) => one.id === id);
    this.#waiting = this.#waiting.filter((one) => one !== gone);
    if (!this.#waiting.some(({ key }) => key === gone?.key))
      this.#turns = this.#turns.filter(({ key }) => key !== gone?.key);
  }
}

const step = fc.oneof(
  fc.record({
    do: fc.constant('arrive' as const),
    key: fc.constantFrom('a', 'b', 'c'),
    units: fc.integer({ min: 1, max: CAPACITY }),
  }),
  fc.record({ do: fc.constant('leave' as const), pick: fc.nat() }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 250 }) }),
);

describe('a line', () => {
  it.each<Order>(['fair', 'fifo', 'newest'])(
    'admits whom a plain list admits, when it does, in the order %s',
    async (order) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
          const { clock, store } = manualStore();
          const sleeping = sleepsOf(clock);
          const wakes = wakesOf(clock);
          const limit = tokenBucket({ capacity: CAPACITY, refillRate: 1000 / PERIOD_MS });
          const limiter = createLimiter<string>({ limit, keyGenerator: everyone(), store });
          const line = createLine({ limiter, order });
          const model = new ListModel(order);
          const admitted: number[] = [];
          const aborts: AbortController[] = [];
          const check = (): void => {
            expect(admitted).toEqual(model.admitted);
            expect([line.length, line.oldestMs]).toEqual([model.length, model.oldestMs]);
            expect(sleeping().length).toBe(model.length > 0 ? 1 : 0);
          };
          const play = async (one: (typeof steps)[number]): Promise<void> => {
            if (one.do === 'arrive') {
              const id = aborts.length;
              const abort = new AbortController();
              aborts.push(abort);
              const options = { cost: one.units, signal: abort.signal };
              line.run(one.key, () => admitted.push(id), options).catch(() => {});
              model.arrive(id, one.key, one.units);
            } else if (one.do === 'leave') {
              const id = model.ids[one.pick % Math.max(1, model.length)];
              if (id === undefined) return;
              aborts[id]?.abort();
              model.leave(id);
            } else {
              for (let i = 0; i < one.ms; i += 1) {
                clock.advance(1);
                // Whoever wakes asks in this millisecond: a full bucket gets nothing in the next.
                if (wakes.has(clock.now())) await settled();
              }
              model.advance(one.ms);
            }
            await settled();
            check();
          };
          for (const one of steps) await play(one);
          line.close();
          await line.drain();
          expect(sleeping()).toEqual([]);
        }),
        { numRuns: Number(process.env.SLUICE_RUNS ?? 60) },
      );
    },
  );

  it('keeps the order of each key, and leaves nobody waiting who could go, whatever limits they share', async () => {
    const arrival = fc.record({
      key: fc.constantFrom('a1', 'a2', 'b1'),
      units: fc.integer({ min: 1, max: 2 }),
      afterMs: fc.integer({ min: 0, max: 150 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 25 }), async (arrivals) => {
        const { clock, store } = manualStore();
        const limiter = createLimiter<string>({
          limits: [
            { name: 'own', limit: slidingWindow({ limit: 3, window: '1s', buckets: 10 }) },
            {
              name: 'group',
              limit: tokenBucket({ capacity: 3, refillRate: 5 }),
              keyGenerator: (subject: string) => subject.slice(0, 1),
            },
            { name: 'all', limit: tokenBucket({ capacity: 4, refillRate: 10 }), keyGenerator: everyone() },
          ],
          store,
        });
        const line: Line<string> = createLine({ limiter });
        const waiting = new Map<string, { readonly id: number; readonly units: number }[]>();
        const noneCouldGo = (): void => {
          // A key may wait for another one whose turn it is, so only one that is alone shows it.
          const keys = [...waiting].filter(([, callers]) => callers.length > 0);
          const [[key, [first]] = ['', []]] = keys;
          if (keys.length === 1 && first) expect(limiter.peek(key, { cost: first.units }).allowed).toBe(false);
        };
        const advance = async (ms: number): Promise<void> => {
          for (let i = 0; i < ms; i += 1) {
            clock.advance(1);
            for (let k = 0; k < 8; k += 1) await Promise.resolve();
          }
          await settled();
          noneCouldGo();
        };
        for (const [id, { key, units, afterMs }] of arrivals.entries()) {
          const callers = waiting.get(key) ?? [];
          waiting.set(key, callers);
          callers.push({ id, units });
          void line.run(
            key,
            () => {
              expect(callers[0]?.id).toBe(id);
              callers.shift();
            },
            { cost: units },
          );
          await settled();
          await advance(afterMs);
        }
        for (let i = 0; i < 300 && line.length > 0; i += 1) await advance(100);
        await line.drain();
        expect([...waiting.values()].flat()).toEqual([]);
      }),
      { numRuns: Number(process.env.SLUICE_RUNS ?? 30) },
    );
  });
});
