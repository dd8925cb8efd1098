import { REDIS_PEERS } from '../../contenders/redis/index.js';
import { TIMES } from '../../redis-table.js';
import type { Placement } from '../../sections/redis.js';
import { firstCalls, of, overRedis, rareCalls, threeLimits } from '../columns.js';
import { type Aim, ALGORITHMS, atLeast, atMost, atMostTheOther, BUCKET, ofEach, type Why, WINDOWS } from './aim.js';

const PLACES: readonly (readonly [placement: Placement, text: string])[] = [
  ['pinned', 'server on a core of its own'],
  ['anywhere', 'any core'],
];

const THREE_COMMANDS: Why = {
  text: 'Reading the clock and the state, and writing it, takes a script as long as the whole minimal script takes, without a decision.',
  page: '../docs/redis.md',
};

const ONE_CALLER: readonly Aim[] = PLACES.flatMap(([placement, where]) => [
  {
    measure: `One caller, ${where}: wait (p50), times the minimal script`,
    aim: 'at most 1.2',
    figures: ofEach(ALGORITHMS, overRedis(1, placement, TIMES.p50), atMost(1.2)),
    why: THREE_COMMANDS,
  },
  {
    measure: `One caller, ${where}: Redis’ processor, times the minimal script`,
    aim: 'at most 1.35',
    figures: ofEach(ALGORITHMS, overRedis(1, placement, TIMES.processor), atMost(1.35)),
    why: THREE_COMMANDS,
  },
]);

/** What the limiters of others need, which have no deadline. */
const BESIDE_PEERS: readonly Aim[] = [
  { what: 'One caller: wait (p50), µs', head: 'p50, µs', intervals: TIMES.p50 },
  { what: 'One caller: µs of Redis’ processor', head: "µs of Redis' processor", intervals: TIMES.processor },
  { what: 'One caller: µs of the caller’s processor', head: "µs of the caller's processor" },
]
  .map(({ what, head, intervals }) => ({
    what,
    column: overRedis(1, 'pinned', head),
    intervals: intervals && overRedis(1, 'pinned', intervals),
  }))
  .concat({
    what: 'The first 100 calls of a process: p99, µs',
    column: firstCalls('p99, µs'),
    intervals: undefined,
  })
  .map(({ what, column, intervals }) => ({
    measure: what,
    aim: 'at most the slowest peer’s',
    figures: ofEach(ALGORITHMS, column, atMostTheOther).map((figure) => ({
      ...{ ...figure, beside: REDIS_PEERS },
      ...(intervals && { intervals }),
    })),
    why: {
      text: 'The tables have the command of a decision by itself, too, and with a deadline, which peers have not. The rest is our functions, which are cold when a lone caller has waited for a reply.',
      page: '../docs/redis.md',
    },
  }));

const MANY_CALLERS: readonly Aim[] = [64, 256].flatMap((callers) =>
  PLACES.map(([placement, where]) => {
    const column = overRedis(callers, placement, TIMES.decisions);
    return {
      measure: `${callers} callers, ${where}: decisions a second, times the minimal script`,
      aim: 'at least 2.4, bucket 1.6',
      figures: [...ofEach(WINDOWS, column, atLeast(2.4)), ...ofEach([BUCKET], column, atLeast(1.6))],
      why: {
        text: 'In a full call, half of Redis’ work is to read and write the keys, and the caller needs nearly as long as Redis.',
        page: '../docs/redis.md',
      },
    };
  }),
);

const COLD: readonly Aim[] = [
  { what: 'The first 100 calls of a process', column: firstCalls('p99, times') },
  { what: 'One call in 100 ms', column: rareCalls('p99, times') },
].map(({ what, column }) => ({
  measure: `${what}: p99, times the minimal script`,
  aim: 'at most 1.5',
  figures: ofEach(ALGORITHMS, column, atMost(1.5)),
  why: {
    text: 'Code that has run only a few times is interpreted, and Sluice has more of it than a caller of three lines.',
    page: '../docs/redis.md',
  },
}));

const SEVERAL_PROCESSES: readonly Aim[] = [
  { what: 'decisions a second, times', aim: 'at least 2', head: 'times RedisStore', isReached: atLeast(2) },
  { what: 'processor for a decision, times', aim: 'at most 0.5', head: 'both, times', isReached: atMost(0.5) },
].map(({ what, aim, head, isReached }) => ({
  measure: `Four processes of one machine, 64 callers in each, by clusterStore: ${what} RedisStore`,
  aim,
  figures: [
    { column: of('several-processes', head, '4 processes, 64 callers'), row: 'Sluice, clusterStore', isReached },
  ],
  why: { text: 'To wake a process that waits is most of what a message costs.', page: '../docs/redis.md' },
}));

export const OVER_REDIS: readonly Aim[] = [
  ...ONE_CALLER,
  ...BESIDE_PEERS,
  ...MANY_CALLERS,
  {
    measure: 'Three limits in one decision, one caller: wait (p50), times one sliding window',
    aim: 'at most 1.3',
    figures: PLACES.map(([placement, name]) => {
      return { name, column: threeLimits(placement), row: '1 caller at once', isReached: atMost(1.3) };
    }),
    why: { text: 'Each limit keeps a key of its own.', page: '../docs/redis.md' },
  },
  {
    measure: 'Three limits in one decision, many callers: wait (p50), times one sliding window',
    aim: 'at most 1.3',
    figures: PLACES.flatMap(([placement, where]) =>
      [64, 256].map((callers) => {
        const name = `${callers} callers, ${where}`;
        return { name, column: threeLimits(placement), row: `${callers} callers at once`, isReached: atMost(1.3) };
      }),
    ),
    why: {
      text: 'A full call is shared already: three limits are three keys, three states and three verdicts.',
      page: '../docs/redis.md',
    },
  },
  ...COLD,
  ...SEVERAL_PROCESSES,
  {
    measure: 'A hot key that processes share, leased, 64 callers: µs of the caller’s processor',
    aim: 'at most 0.7',
    figures: [
      {
        column: of('shared-key', "µs of the caller's processor", 'One process, 64 callers'),
        row: 'Sluice, leased',
        isReached: atMost(0.7),
      },
    ],
    why: {
      text: 'Each decision reads the clock, keeps a promise, and is two objects and a list.',
      page: '../docs/redis.md',
    },
  },
];
