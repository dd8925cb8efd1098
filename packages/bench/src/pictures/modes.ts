import {
  type Decision,
  leakyBucket,
  type PolicyOptions,
  type SampledLoadSignal,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { type Asking, blocking, inLine, waiting } from './asking.js';
import { madeBy } from './code.js';
import { type Arrival, isCrawler } from './traffic.js';

/** One way to limit the traffic. */
export interface Mode {
  /** The name of the picture's file. */
  readonly name: string;
  /** Returns the options of the limiter. The picture prints them. */
  options(calm: SampledLoadSignal): PolicyOptions<[subject: Arrival], false>;
  /** Returns the key to count by. Default: one key for all requests. */
  readonly keyOf?: (arrival: Arrival) => string;
  /** Default: `consume`, and the delay of the decision. */
  readonly asking?: Asking;
  /** What happens beside the options: printed under them. */
  readonly event?: string;
  /** Names the row of the picture that shows this request. Default: one row for all. */
  readonly rowOf?: (arrival: Arrival, decision: Decision | undefined) => string;
  /** When the process is busy. The load signal follows it, and the picture shows it. */
  readonly busy?: Period;
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

const LIMIT = { limit: 20, window: '10s' } as const;

const whoOf = (arrival: Arrival): string => (isCrawler(arrival) ? 'The crawlers' : 'Ann');

/** Ann has 16 of the 20 units for herself. */
const partOf = (arrival: Arrival): number => (isCrawler(arrival) ? 0 : 16);
const byTenant = (arrival: Arrival): string => whoOf(arrival);
const GUARANTEE = { limit: partOf, keyGenerator: byTenant, total: 16 };

const priority = (arrival: Arrival): 'critical' | 'low' => (isCrawler(arrival) ? 'low' : 'critical');

/** The modes that pages show. A test compares each picture with what the limiter decides. */
export const MODES: readonly Mode[] = [
  { name: 'hard', options: () => LIMIT },
  { name: 'tolerance', options: () => ({ ...LIMIT, tolerance: 0.25 }) },
  {
    name: 'elastic',
    options: (calm) => ({ ...LIMIT, elastic: { upTo: 40, while: calm } }),
    busy: { fromMs: 32_000, toMs: 39_000 },
  },
  {
    name: 'headroom',
    options: () => ({ ...LIMIT, priority, headroom: { low: 0.25 } }),
    rowOf: (arrival) => (isCrawler(arrival) ? 'The crawlers: low' : 'Ann: critical'),
  },
  { name: 'guarantee', options: () => ({ ...LIMIT, guarantee: GUARANTEE }), rowOf: whoOf },
  { name: 'guarantee-lend', options: () => ({ ...LIMIT, guarantee: GUARANTEE, lend: 1 }), rowOf: whoOf },
  { name: 'slow-down', options: () => ({ ...LIMIT, slowDown: { after: 12, by: '250ms', upTo: '2s' } }) },
  {
    name: 'wait',
    options: () => LIMIT,
    event: "limiter.wait(request, { maxWait: '3s' })",
    asking: waiting('3s'),
    rowOf: whoOf,
  },
  {
    name: 'line',
    options: () => LIMIT,
    event: "createLine({ limiter, keyGenerator: byTenant, maxWait: '3s' })",
    asking: inLine('3s', byTenant),
    rowOf: whoOf,
  },
  { name: 'token-bucket', options: () => ({ limit: madeBy(tokenBucket, { capacity: 20, refillRate: 2 }) }) },
  { name: 'leaky-bucket', options: () => ({ limit: madeBy(leakyBucket, { capacity: 20, leakRate: 2 }) }) },
  {
    name: 'leaky-bucket-immediate',
    options: () => ({ limit: madeBy(leakyBucket, { capacity: 20, leakRate: 2, immediate: 10 }) }),
  },
  {
    name: 'growing-blocks',
    options: () => ({
      limit: madeBy(slidingWindow, {
        limit: 5,
        window: '2s',
        blockDuration: { first: '2s', max: '8s', forget: '1m' },
      }),
    }),
    keyOf: whoOf,
    rowOf: whoOf,
  },
  {
    name: 'block-by-hand',
    options: () => LIMIT,
    event: "after 28 s: limiter.block('The crawlers', '1h')",
    keyOf: whoOf,
    rowOf: whoOf,
    asking: blocking('The crawlers', 28_000),
  },
  { name: 'mark', options: () => ({ ...LIMIT, enforce: 'mark' }) },
  {
    name: 'enforce-share',
    options: () => ({ name: 'pages', limit: 5, window: '10s', enforce: 0.5 }),
    // With these keys, Ann and one of the crawlers are in the enforced half.
    keyOf: ({ client }) => `key-${client}`,
    rowOf: (_, decision) => (decision?.tightest.shadow ? 'Not enforced' : 'Enforced'),
  },
];
