import { concurrency, slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterFixture, Rules } from './adapter-fixture.js';
import { available } from './answer-fields.js';
import { StreamedBody } from './streamed-body.js';

const SLOT = concurrency({ limit: 1, lease: '30s' });
const FIVE = slidingWindow({ limit: 5, window: '1m' });

/** Serves responses as streams, of which only the beginning has been sent. */
async function serveStreams(fixture: AdapterFixture): Promise<StreamedBody[]> {
  const bodies: StreamedBody[] = [];
  await fixture.serve([{ limits: [SLOT, FIVE], skipFailedRequests: true }], () => {
    const body = new StreamedBody('begun');
    bodies.push(body);
    return { status: 200, body: body.stream };
  });
  return bodies;
}

const left = async (fixture: AdapterFixture): Promise<string> =>
  [await fixture.left(SLOT, 'concurrency'), await fixture.left(FIVE, 'per-1m')].join();

const untilLeft = (fixture: AdapterFixture, both: string): Promise<void> =>
  fixture.until(`left: ${both}`, async () => (await left(fixture)) === both);

const GET = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';

/** Long responses. */
export const streamRules: Rules = {
  'holds the slot of a streamed response until its end': async (fixture) => {
    const bodies = await serveStreams(fixture);
    const answer = fixture.get();
    await fixture.until('it is handled', () => bodies.length === 1);
    assert.equal((await fixture.get()).status, 429);
    bodies[0]?.end(', ended');
    const { status, body, ...streamed } = await answer;
    assert.deepEqual([status, body], [200, 'begun, ended']);
    assert.deepEqual(available({ status, body, ...streamed }), { concurrency: 0, 'per-1m': 4 });
    await untilLeft(fixture, '1,4');
  },

  'keeps the charge, and frees the slot, if the client leaves a stream': async (fixture) => {
    await serveStreams(fixture);
    const leaving = fixture.client.write(GET);
    await leaving.begun;
    assert.equal(await left(fixture), '0,4');
    leaving.leave();
    await untilLeft(fixture, '1,4');
  },

  'treats a request as failed, and frees its slot, if its stream breaks off': async (fixture) => {
    const bodies = await serveStreams(fixture);
    const exchange = fixture.client.write(GET);
    await exchange.begun;
    bodies[0]?.breakOff(new Error('the source is broken'));
    await untilLeft(fixture, '1,5');
    await exchange.answers;
  },
};
