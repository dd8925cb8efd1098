import { describe, expect, it } from '@jest/globals';
import { customRefusal, FORBIDDEN, quotaExceeded, REDUCED_CAPACITY } from '../../src/refusals/problem.js';

const PROBLEM = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' };

describe('quotaExceeded', () => {
  it('names the limits that refused, and the wait', () => {
    const { status, headers, body } = quotaExceeded('["burst","daily"]', 30);
    expect({ status, headers }).toEqual({ status: 429, headers: PROBLEM });
    expect(body).toBe(
      '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,' +
        '"detail":"Try again in 30 seconds.","violated-policies":["burst","daily"]}',
    );
  });

  it.each([
    [1, 'Try again in 1 second.'],
    [2, 'Try again in 2 seconds.'],
    [undefined, 'This request can never fit in what is left; waiting does not help.'],
  ])('states a wait of %p seconds', (seconds, detail) => {
    expect(JSON.parse(quotaExceeded('["burst"]', seconds).body)).toMatchObject({ detail });
  });

  it('keeps names with quotes and backslashes, and states the status', () => {
    const { status, body } = quotaExceeded(JSON.stringify(['a"b\\c']), 1, 420);
    expect(status).toBe(420);
    expect(JSON.parse(body)).toMatchObject({ status: 420, 'violated-policies': ['a"b\\c'] });
  });
});

describe('the other refusals', () => {
  it('state reduced capacity if the store fails', () => {
    expect(REDUCED_CAPACITY).toMatchObject({ status: 503, headers: PROBLEM });
    expect(REDUCED_CAPACITY.body).toBe(
      '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity",' +
        '"status":503,"detail":"The service cannot answer this request at the moment. Try again soon."}',
    );
  });

  it('state only the status for an address on the deny list', () => {
    expect(FORBIDDEN).toEqual({
      status: 403,
      headers: PROBLEM,
      body: '{"type":"about:blank","title":"Forbidden","status":403}',
    });
  });
});

describe('customRefusal', () => {
  it('sends text as text', () => {
    expect(customRefusal('Slow down.')).toEqual({
      status: 429,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
      body: 'Slow down.',
    });
  });

  it('sends an object as JSON', () => {
    expect(customRefusal({ error: 'slow down' }, 503)).toEqual({
      status: 503,
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' },
      body: '{"error":"slow down"}',
    });
  });
});
