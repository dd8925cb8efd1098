import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { vendorOf } from '../../src/dialects/vendors.js';
import { EventFilter, WITHOUT_USAGE } from '../../src/relay/event-filter.js';
import { withoutAccount } from '../../src/relay/own-account.js';
import { bytesOf, cutAt, cutIndexes } from '../pieces.js';

function filtered(text: string, cuts: readonly number[] = []): string {
  const filter = new EventFilter([WITHOUT_USAGE]);
  const pieces = cutAt(bytesOf(text), cuts).map((piece) => filter.push(piece));
  return Buffer.concat([...pieces, filter.end()]).toString('utf8');
}

const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":1}}';

describe('EventFilter', () => {
  it.each([
    [`data: {"choices":[{}]}\n\n${USAGE}\n\ndata: [DONE]\n\n`, 'data: {"choices":[{}]}\n\ndata: [DONE]\n\n'],
    [`${USAGE}\n\n`, ''],
    [`a: 1\n\n${USAGE}`, 'a: 1\n\n'],
    ['data: {"choices": [ ],\ndata: "usage":{}}\n\nx\n\n', 'x\n\n'],
  ])('takes the chunk out of %j', (text, rest) => {
    expect(filtered(text)).toBe(rest);
  });

  it.each([
    'data: {"choices":[],"usage":null}\n\n',
    'data: {"choices":[],"prompt_filter_results":[]}\n\n',
    'data: {"choices":[{}],"usage":{}}\n\n',
    'data: {"choices":[],"usage":{}\n\n',
    ': "choices":[] "usage":{}\n\n',
    '\n\n\n',
    'data: x',
  ])('passes %j on', (text) => {
    expect(filtered(text)).toBe(text);
  });

  it('passes all other bytes on as they are, however they are cut and their lines end', () => {
    const event = fc.constantFrom(
      'data: {"choices":[{"delta":{"content":"한\u{1f600}é"}}]}',
      ': ping',
      'id: 1',
      '',
      USAGE,
    );
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(event), lineEnd, cutIndexes, (events, end, cuts) => {
        const textOf = (some: readonly string[]): string => some.map((each) => `${each}${end}${end}`).join('');
        expect(filtered(textOf(events), cuts)).toBe(textOf(events.filter((each) => each !== USAGE)));
      }),
    );
  });

  it('passes an event that has begun on at once if it is too long to be that chunk', () => {
    const filter = new EventFilter([WITHOUT_USAGE]);
    const long = bytesOf(`data: {"choices":[],"usage":{"a":"${'x'.repeat(70_000)}`);
    expect(filter.push(long)).toEqual(long);
    expect(Buffer.from(filter.push(bytesOf('"}}\n\ndata: 1\n\n'))).toString()).toBe('"}}\n\ndata: 1\n\n');
  });

  it('passes each event on when it is whole', () => {
    const filter = new EventFilter([WITHOUT_USAGE]);
    expect(filter.push(bytesOf('data: 1\r\n\r')).length).toBe(10);
    expect(filter.push(bytesOf('\nda')).length).toBe(1);
    expect(Buffer.from(filter.push(bytesOf('ta: 2\n\n'))).toString()).toBe('data: 2\n\n');
  });
});

describe('errors in a stream that speak of the account', () => {
  const failed = (message: string, code: string) =>
    `event: response.failed\ndata: {"type":"response.failed","response":{"id":"r","error":{"code":"${code}","message":"${message}"}}}\n\n`;
  const NEUTRAL = 'The model cannot go on. Try again later.';
  const vendor = vendorOf('openai');

  it.each([
    [
      'Rate limit reached for gpt-5.6 in organization org-AbCd1234 on tokens: Limit 30000, Used 1',
      'rate_limit_exceeded',
      'rate_limit_exceeded',
    ],
    ['You exceeded your current quota, \\"please\\" check', 'insufficient_quota', 'server_error'],
  ])('are made neutral: %s', (message, code, shown) => {
    const withheld: string[] = [];
    const filter = new EventFilter([
      WITHOUT_USAGE,
      withoutAccount({ vendor, onWithheld: (event) => void withheld.push(event) }),
    ]);
    const text = `data: 1\n\n${failed(message, code)}data: 2\n\n`;
    const pieces = cutAt(bytesOf(text), [5, 40, 90]).map((piece) => filter.push(piece));
    expect(Buffer.concat([...pieces, filter.end()]).toString()).toBe(`data: 1\n\n${failed(NEUTRAL, shown)}data: 2\n\n`);
    expect(withheld).toEqual([failed(message, code)]);
  });

  it.each(['', 'event: error\n'])('are replaced if they are longer than what is held back: %j', (line) => {
    const withheld: string[] = [];
    const filter = new EventFilter([withoutAccount({ vendor, onWithheld: (event) => void withheld.push(event) })]);
    const long = `${line}data: {"error":{"message":"${'x'.repeat(70_000)} org-AbCd1234"}}\r\n\r\n`;
    const text = `data: 1\n\n${long}data: 2\n\n`;
    const pieces = cutAt(bytesOf(text), [5, 60_000, 70_050]).map((piece) => filter.push(piece));
    const got = Buffer.concat([...pieces, filter.end()]).toString();
    expect(got.split('\n\n')).toEqual([
      'data: 1',
      expect.stringContaining(`${line}data: {"error":{"message":"${NEUTRAL}"`),
      'data: 2',
      '',
    ]);
    expect(withheld).toHaveLength(1);
  });

  it('are left as they are if they say nothing of it', () => {
    const filter = new EventFilter([withoutAccount({ vendor, onWithheld: () => {} })]);
    const text = `${failed('The server had an error', 'server_error')}data: {"choices":[{"delta":{"content":"your organization"}}]}\n\n`;
    expect(Buffer.from(filter.push(bytesOf(text))).toString()).toBe(text);
  });
});
