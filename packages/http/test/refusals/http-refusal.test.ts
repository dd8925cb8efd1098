import { describe, expect, it } from '@jest/globals';
import { HttpRefusal } from '../../src/refusals/http-refusal.js';

const problemOf = (refusal: HttpRefusal): unknown => JSON.parse(refusal.refusal.body);

describe('HttpRefusal', () => {
  it('is an error whose message says why, and a problem with the title of its status', () => {
    const cause = new Error('of the parser');
    const refusal = new HttpRefusal(400, { detail: 'no units', members: { field: 'units' }, cause });
    expect(refusal).toMatchObject({ name: 'HttpRefusal', message: 'no units', cause });
    expect(refusal.refusal).toMatchObject({ status: 400, headers: { 'Content-Type': 'application/problem+json' } });
    const problem = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'no units', field: 'units' };
    expect(problemOf(refusal)).toEqual(problem);
  });

  it.each([
    [402, {}, { type: 'about:blank', title: 'Payment Required', status: 402 }],
    [499, {}, { type: 'about:blank', title: 'Error', status: 499 }],
    [400, { title: 'Wrong' }, { type: 'about:blank', title: 'Wrong', status: 400 }],
    [400, { members: { status: 9, type: 'x' } }, { type: 'about:blank', title: 'Bad Request', status: 400 }],
  ])('sends %j with %j as the problem %j', (status, options, expected) => {
    expect(problemOf(new HttpRefusal(status, options))).toEqual(expected);
  });

  it('sends a message instead of a problem', () => {
    expect(new HttpRefusal(400, { message: 'no' }).refusal).toMatchObject({ status: 400, body: 'no' });
    expect(new HttpRefusal(400, { message: { error: 1 } }).refusal.body).toBe('{"error":1}');
  });

  it.each<[status: number, options: object, path: string]>([
    [200, {}, 'status'],
    [Number.NaN, {}, 'status'],
    [400, { body: 'x' }, 'body'],
    [400, { message: 'x', detail: 'y' }, 'message'],
    [400, { message: [1] }, 'message'],
  ])('refuses the status %j with %j', (status, options, path) => {
    expect(() => new HttpRefusal(status, options)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });
});
