import * as assert from '../assert.js';
import type { Rules } from './adapter-fixture.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';

const statusesIn = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** Requests and their connections. */
export const connectionRules: Rules = {
  'counts GET and HEAD together, and sends no body for HEAD': async (fixture) => {
    await fixture.serve([{ limit: 2, window: '1m' }]);
    assert.equal((await fixture.get()).headers.ratelimit, '"per-1m";r=1;t=60');
    const head = await fixture.send('HEAD');
    assert.deepEqual([head.status, head.body, head.headers.ratelimit], [200, '', '"per-1m";r=0;t=60']);
    const refusedHead = await fixture.send('HEAD');
    const refusedGet = await fixture.get();
    assert.deepEqual(ownAnswer(refusedGet), quotaExceeded(['per-1m'], 60));
    assert.deepEqual(ownAnswer(refusedHead), { ...ownAnswer(refusedGet), body: '' });
    assert.deepEqual(limitFields(refusedHead), limitFields(refusedGet));
  },

  'refuses HEAD with the same header fields as GET': async (fixture) => {
    await fixture.serve((tools) => [
      {
        limit: 0,
        window: '1m',
        statusCode: 420,
        message: (...args) => (tools.requestOf(args).url === '/text' ? 'later' : { error: 'later' }),
      },
    ]);
    for (const path of ['/text', '/json']) {
      const [head, get] = [await fixture.send('HEAD', path), await fixture.get(path)];
      // A response to HEAD may lack the length, and a second may have passed between the two.
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

  'keeps the connection after a refusal': async (fixture) => {
    await fixture.serve([{ limit: 1, window: '1m' }]);
    assert.deepEqual(await fixture.statuses(3), [200, 429, 429]);
    fixture.clock.advance('1m');
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
  },

  'answers pipelined requests in their order': async (fixture) => {
    await fixture.serve([{ limit: 2, window: '1m' }]);
    const one = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';
    const last = 'GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n\r\n';
    const answers = await fixture.client.write(one + one + one + last).answers;
    assert.deepEqual(statusesIn(answers), [200, 200, 429, 429]);
  },

  'refuses a request whose body was not read': async (fixture) => {
    await fixture.serve([{ limit: 0, window: '1m' }]);
    const body = 'x'.repeat(10_000);
    const post = `POST / HTTP/1.1\r\nHost: sluice\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const last = 'GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n\r\n';
    assert.deepEqual(statusesIn(await fixture.client.write(post + last).answers), [429, 429]);
  },
};
