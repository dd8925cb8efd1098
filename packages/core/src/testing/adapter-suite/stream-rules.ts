import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { available } from './answer-fields.js';
import type { Rules, Stage } from './stage.js';

const SLOT = concurrency({ limit: 1, lease: '30s' });
const FIVE = slidingWindow({ limit: 5, window: '1m' });

/** Serves answers that come as a stream, of which nothing but the beginning is there yet. */
async function serveStreams(stage: Stage): Promise<PassThrough[]> {
  const bodies: PassThrough[] = [];
  await stage.serve([{ limits: [SLOT, FIVE], skipFailedRequests: true }], () => {
    const body = new PassThrough();
    body.write('begun');
    bodies.push(body);
    return { status: 200, body };
  });
  return bodies;
}

const left = async (stage: Stage): Promise<string> =>
  [await stage.left(SLOT, 'concurrency'), await stage.left(FIVE, 'per-1m')].join();

const untilLeft = (stage: Stage, both: string): Promise<void> =>
  stage.until(`left: ${both}`, async () => (await left(stage)) === both);

const GET = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';

/** Answers that last. */
export const streamRules: Rules = {
  'holds the slot of a streamed answer to the end of it': async (stage) => {
    const bodies = await serveStreams(stage);
    const answer = stage.get();
    await stage.until('it is handled', () => bodies.length === 1);
    assert.equal((await stage.get()).status, 429);
    bodies[0]?.end(', ended');
    const { status, body, ...streamed } = await answer;
    assert.deepEqual([status, body], [200, 'begun, ended']);
    assert.deepEqual(available({ status, body, ...streamed }), { concurrency: 0, 'per-1m': 4 });
    await untilLeft(stage, '1,4');
  },

  'keeps the charge, and frees the slot, when the client leaves a stream': async (stage) => {
    await serveStreams(stage);
    const leaving = stage.client.write(GET);
    await leaving.begun;
    assert.equal(await left(stage), '0,4');
    leaving.leave();
    await untilLeft(stage, '1,4');
  },

  'takes a request for failed, and frees its slot, when its stream breaks off': async (stage) => {
    const bodies = await serveStreams(stage);
    const exchange = stage.client.write(GET);
    await exchange.begun;
    bodies[0]?.destroy(new Error('the source is broken'));
    await untilLeft(stage, '1,5');
    await exchange.answers;
  },
};
