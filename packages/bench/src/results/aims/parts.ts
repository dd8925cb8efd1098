import { of } from '../columns.js';
import { type Aim, type AimedFigure, atMost, type Why } from './aim.js';

const FILES_LEFT: Why = {
  text: 'Each file that is left has one idea, and tests of its own.',
  page: '../docs/http.md',
};

const files = (store: string, most: number): Aim => ({
  measure: `Source files that an allowed request of Express executes, over ${store}`,
  aim: `at most ${most}`,
  figures: [{ column: of('files', 'files'), row: `Sluice over ${store}`, isReached: atMost(most) }],
  why: FILES_LEFT,
});

const calls = (store: string, most: number): Aim => ({
  measure: `Calls of our functions in an allowed request of Express, over ${store}`,
  aim: `at most ${most}`,
  figures: [{ column: of('calls', 'calls'), row: `Sluice over ${store}`, isReached: atMost(most) }],
  why: {
    text: 'More than half of them are the deadline, the breaker and the time of the server, and a call that others may share: a table says what each stage calls.',
    page: '../docs/http.md',
  },
});

const perTurn = (name: string): AimedFigure => ({
  ...{ name, column: of('load', 'more'), row: `admitted and answered, ${name}`, isReached: atMost(400) },
});

const grpc = (name: string): AimedFigure => ({
  ...{ name, column: of('server', 'µs of the processor', 'gRPC'), row: `gRPC, ${name}`, isReached: atMost(200) },
});

const watching = (row: string, times: number): Aim => ({
  measure: `A decision in process, ${row}: time, times one that nobody watches`,
  aim: `at most ${times}`,
  figures: [{ column: of('operations', 'times the first', 'One hot key'), row, isReached: atMost(times) }],
  why: {
    text: 'Each decision is published, whether it is read or not.',
    page: '../../core/docs/why/metrics.md',
  },
});

/** What is built on the limiter. */
export const PARTS: readonly Aim[] = [
  files('memory', 20),
  files('Redis', 28),
  calls('memory', 60),
  calls('Redis', 120),
  {
    measure: 'A shedder, while the process keeps up: ns more for a request',
    aim: 'at most 400',
    figures: [perTurn('one request per turn'), perTurn('10 requests per turn')],
    why: { text: 'Nearly all of it is reading the event loop.', page: '../../core/docs/why/load-shedding.md' },
  },
  watching('counters are read after each 1,000 decisions', 1.05),
  watching('a listener that does not read keys', 1.3),
  {
    measure: 'Metrics that are read after each 1,000 requests of Express: µs more for a request',
    aim: 'at most 1',
    figures: [
      { column: of('operations', 'more per request', 'A request of Express'), row: 'both', isReached: atMost(1) },
    ],
    why: {
      text: 'A reading walks through all series of the process.',
      page: '../../core/docs/why/metrics.md',
    },
  },
  {
    measure: 'The decision service over HTTP, allowed: processor time, times a bare answer of node:http',
    aim: 'at most 1.5',
    figures: [{ column: of('server', 'times the bare'), row: 'forward-auth, allowed', isReached: atMost(1.5) }],
    why: {
      text: 'Our code takes 16 of 90 µs in a profile. The rest is Node.js, which also writes five fields.',
      page: '../docs/http.md',
    },
  },
  {
    measure: 'The decision service over HTTP, allowed: processor time, times a bare answer with the same fields',
    aim: 'at most 1.25: as many as 0.8 of it',
    figures: [
      { column: of('server', 'times that with the same'), row: 'forward-auth, allowed', isReached: atMost(1.25) },
    ],
    why: {
      text: 'In a profile, our code takes 16 of 90 µs: the store, the fields and the router the most, none above 2.6. The rest is Node.js, with colder caches.',
      page: '../docs/http.md',
    },
  },
  {
    measure: 'The decision service over gRPC, allowed: processor time, times a bare answer of grpc-js',
    aim: 'at most 1.43: as many as 0.7 of it',
    figures: [{ column: of('server', 'times the bare', 'gRPC'), row: 'gRPC, allowed', isReached: atMost(1.43) }],
    why: { text: 'It reads descriptors, and decides.', page: '../../core/docs/why/decision-service.md' },
  },
  {
    measure: 'The decision service over gRPC: µs of the processor for a decision',
    aim: 'at most 200',
    figures: [grpc('allowed'), grpc('refused')],
    why: { text: 'A refusal has a body.', page: '../../core/docs/why/decision-service.md' },
  },
  {
    measure: 'A relayed stream of a language model: µs for a chunk',
    aim: 'at most 6',
    figures: [{ column: of('model-calls', 'µs a chunk'), row: 'Sluice', isReached: atMost(6) }],
    why: { text: 'Each chunk is read for its usage.', page: '../../core/docs/why/budgets-of-models.md' },
  },
  {
    measure: 'Budgets of an organisation, a team, a user, a key and a model over Redis: round trips',
    aim: 'one',
    figures: [
      {
        column: of('model-calls', 'round trips', 'Budgets over Redis'),
        row: 'organisation, team, user, key and model',
        isReached: atMost(1),
      },
    ],
    why: { text: 'Only a store of several nodes asks more than once.', page: '../../core/docs/sharding.md' },
  },
  {
    measure: 'Reading a call with 200 KB of text: ms',
    aim: 'below 5',
    figures: ['English', 'one letter', 'spaces', 'Chinese', 'base64', 'emoji'].map((row) => {
      return { name: row, column: of('model-calls', 'ms', 'Milliseconds'), row, isReached: atMost(5) };
    }),
    why: { text: 'The estimate walks through the whole text.', page: '../../core/docs/why/budgets-of-models.md' },
  },
];
