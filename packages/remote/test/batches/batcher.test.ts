import { beforeEach, expect, it, jest } from '@jest/globals';
import { promiseOf } from '@sluice/core/values';
import { type Asked, Batcher } from '../../src/batches/batcher.js';

/** A call that is on its way until the test has it answered. */
interface Call {
  readonly questions: readonly number[];
  answer(): Promise<void>;
  fail(error: Error): Promise<void>;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let calls: Call[];
let turns: (() => void)[];
let idles: number;
let batcher: Batcher<number, string, string>;

const ask = (question: number): Promise<string> =>
  promiseOf((receiver) => batcher.ask(question, Math.abs(question), receiver));

/** Ends the turn in which the questions were asked. */
function turn(): void {
  for (const work of turns.splice(0)) work();
}

const sent = (): (readonly number[])[] => calls.map(({ questions }) => questions);

beforeEach(() => {
  calls = [];
  turns = [];
  idles = 0;
  const send = (
    asked: readonly Asked<number, string>[],
    replied: (reply: string) => void,
    failed: (error: unknown) => void,
  ): void => {
    calls.push({
      questions: asked.map(({ question }) => question),
      answer: () => {
        replied('yes');
        return settled();
      },
      fail: (error) => {
        failed(error);
        return settled();
      },
    });
  };
  batcher = new Batcher({
    send,
    distribute: (asked, reply) => {
      for (const { question, receiver } of asked) receiver.resolve(`${reply} ${question}`);
    },
    fail: (asked, error) => {
      for (const { receiver } of asked) receiver.reject(error);
    },
    maxSize: 10,
    defer: (work) => turns.push(work),
    onIdle: () => {
      idles += 1;
    },
  });
});

it('sends a single request in its own turn', async () => {
  const answer = ask(1);
  turn();
  expect(sent()).toEqual([[1]]);
  await calls[0]?.answer();
  expect(await answer).toBe('yes 1');
});

it('sends the requests of one turn together, in order', async () => {
  const answers = [1, 2, -1].map((question) => ask(question));
  expect(sent()).toEqual([]);
  turn();
  expect(sent()).toEqual([[1, 2, -1]]);
  await calls[0]?.answer();
  expect(await Promise.all(answers)).toEqual(['yes 1', 'yes 2', 'yes -1']);
});

it('collects asks while a call is on its way, and sends them when the reply arrives', async () => {
  ask(4);
  turn();
  ask(2);
  turn();
  ask(1);
  turn();
  expect(sent()).toEqual([[4]]);
  await calls[0]?.answer();
  expect(sent()).toEqual([[4], [2, 1]]);
});

it('sends as many requests as the call on its way has, so that the server always has work', async () => {
  for (const question of [5, 5]) ask(question);
  turn();
  expect(sent()).toEqual([[5], [5]]);
  ask(4);
  turn();
  expect(sent()).toHaveLength(2);
  await calls[0]?.answer();
  expect(sent()).toHaveLength(2);
  ask(1);
  ask(2);
  expect(sent()).toHaveLength(2);
  turn();
  expect(sent()).toEqual([[5], [5], [4, 1, 2]]);
});

it('sends no second call with less than an eighth of its room', () => {
  ask(1);
  turn();
  ask(-1);
  turn();
  expect(sent()).toEqual([[1]]);
  ask(-1);
  turn();
  expect(sent()).toEqual([[1], [-1, -1]]);
});

it('sends waiting requests before it resolves the replies', async () => {
  const first = ask(1).then(() => sent().length);
  turn();
  ask(2);
  await calls[0]?.answer();
  expect(await first).toBe(2);
});

it('sends a full call at once, whatever is on its way, and never more than fits', () => {
  ask(1);
  turn();
  for (const question of [4, 4, 4, 6]) ask(question);
  expect(sent()).toEqual([[1], [4, 4], [4, 6]]);
  turn();
  expect(sent()).toHaveLength(3);
});

it('sends half a call if nothing is on its way, so that there can be two', () => {
  for (const question of [3, 2, 4]) ask(question);
  turn();
  expect(sent()).toEqual([[3, 2]]);
  for (const question of [3, 3]) ask(question);
  expect(sent()).toEqual([
    [3, 2],
    [4, 3, 3],
  ]);
});

it('sends a request that is larger than a call alone, in order', () => {
  for (const question of [1, 25, 2]) ask(question);
  turn();
  expect(sent()).toEqual([[1], [25]]);
});

it('waits for all replies, except with full calls', async () => {
  ask(10);
  ask(-10);
  ask(1);
  turn();
  await calls[0]?.answer();
  expect(sent()).toEqual([[10], [-10]]);
  await calls[1]?.answer();
  expect(sent()).toEqual([[10], [-10], [1]]);
});

it('fails all requests of a failed call, and no others', async () => {
  const lost = [ask(1), ask(2)].map((answer) => answer.catch((error) => error.message));
  turn();
  const next = ask(3);
  await calls[0]?.fail(new Error('lost'));
  expect(await Promise.all(lost)).toEqual(['lost', 'lost']);
  await calls[1]?.answer();
  expect(await next).toBe('yes 3');
});

it('sends waiting requests on request, and knows which ones wait', () => {
  ask(1);
  turn();
  ask(2);
  expect(batcher.hasWaiting((question) => question === 2)).toBe(true);
  batcher.send();
  expect(sent()).toEqual([[1], [2]]);
  expect(batcher.hasWaiting((question) => question === 2)).toBe(false);
  batcher.send();
  expect(sent()).toHaveLength(2);
});

it('reports when no request waits any more', async () => {
  ask(1);
  turn();
  ask(2);
  const answered = jest.fn();
  void batcher.answered().then(answered);
  await calls[0]?.answer();
  expect([idles, answered.mock.calls.length]).toEqual([0, 0]);
  await calls[1]?.answer();
  expect([idles, answered.mock.calls.length]).toEqual([1, 1]);
  await batcher.answered();
});
