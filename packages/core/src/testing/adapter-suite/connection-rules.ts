import assert from 'node:assert/strict';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import type { Rules } from './stage.js';

const statusesIn = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** How requests come over a connection. */
export const connectionRules: Rules = {
  'counts GET and HEAD together, and sends HEAD no body': async (stage) => {
    await stage.serve([{ limit: 2, window: '1m' }]);
    assert.equal((await stage.get()).headers.ratelimit, '"per-1m";r=1;t=60');
    const head = await stage.send('HEAD');
    assert.deepEqual([head.status, head.body, head.headers.ratelimit], [200, '', '"per-1m";r=0;t=60']);
    const refusedHead = await stage.send('HEAD');
    const refusedGet = await stage.get();
    assert.deepEqual(ownAnswer(refusedGet), quotaExceeded(['per-1m'], 60));
    assert.deepEqual(ownAnswer(refusedHead), { ...ownAnswer(refusedGet), body: '' });
    assert.deepEqual(limitFields(refusedHead), limitFields(refusedGet));
  },

  'refuses HEAD with the header fields of GET, whatever is sent': async (stage) => {
    await stage.serve((tools) => [
      {
        limit: 0,
        window: '1m',
        statusCode: 420,
        message: (...args) => (tools.requestOf(args).url === '/text' ? 'later' : { error: 'later' }),
      },
    ]);
    for (const path of ['/text', '/json']) {
      const [head, get] = [await stage.send('HEAD', path), await stage.get(path)];
      // The length may be left out of an answer to HEAD, and the second may have passed between the two.
      const { 'content-length': _length, date: _date, ...fields } = get.headers;
      assert.deepEqual([head.status, head.body], [420, '']);
      const {
        'content-length': headLength = get.headers['content-length'],
        date: _headDate,
        ...headFields
      } = head.headers;
      assert.deepEqual([headFields, headLength], [fields, get.headers['content-length']]);
    }
  },

  'answers on the same connection after a refusal': async (stage) => {
    await stage.serve([{ limit: 1, window: '1m' }]);
    assert.deepEqual(await stage.statuses(3), [200, 429, 429]);
    stage.clock.advance('1m');
    assert.deepEqual(await stage.statuses(2), [200, 429]);
  },

  'answers requests that are sent one behind the other in their order': async (stage) => {
    await stage.serve([{ limit: 2, window: '1m' }]);
    const one = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';
    const last = 'GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n\r\n';
    const answers = await stage.client.write(one + one + one + last).answers;
    assert.deepEqual(statusesIn(answers), [200, 200, 429, 429]);
  },

  'refuses a request with a body that nobody has read': async (stage) => {
    await stage.serve([{ limit: 0, window: '1m' }]);
    const body = 'x'.repeat(10_000);
    const post = `POST / HTTP/1.1\r\nHost: sluice\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const last = 'GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n\r\n';
    assert.deepEqual(statusesIn(await stage.client.write(post + last).answers), [429, 429]);
  },
};
