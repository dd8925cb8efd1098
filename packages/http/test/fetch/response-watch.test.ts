import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { type Outcome, watchResponse } from '@sluice/core/http';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const REQUEST = new Request('http://127.0.0.1/');

/** Makes a body, and calls `cancelled` when nobody reads it to its end. */
const bodyWith = (cancelled: () => void) => new ReadableStream({ cancel: cancelled }, { highWaterMark: 0 });

/** Watches a response, and drops what is to be sent in its place. */
function dropResponse(outcomes: Outcome[], cancelled: () => void): void {
  const watch = watchResponse(REQUEST, (outcome) => outcomes.push(outcome));
  watch.responded(new Response(bodyWith(cancelled)));
}

it('A request ends when its response was replaced, and nobody can read it any more', async () => {
  const outcomes: Outcome[] = [];
  let cancelled = 0;
  dropResponse(outcomes, () => {
    cancelled += 1;
  });
  for (let tries = 0; tries < 200 && outcomes.length === 0; tries += 1) {
    await pause(20);
    collectGarbage();
  }
  expect(outcomes).toEqual([{ status: 200, aborted: false }]);
  expect(cancelled).toBe(1);
});

it('A request does not end as long as somebody may read its response', async () => {
  const outcomes: Outcome[] = [];
  const watch = watchResponse(REQUEST, (outcome) => outcomes.push(outcome));
  const response = watch.responded(new Response('hello'));
  for (let tries = 0; tries < 5; tries += 1) {
    await pause(20);
    collectGarbage();
  }
  expect(outcomes).toEqual([]);
  expect(await response.text()).toBe('hello');
  expect(outcomes).toEqual([{ status: 200, aborted: false }]);
});
