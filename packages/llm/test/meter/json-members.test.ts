import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonMembers } from '../../src/meter/json-members.js';
import { bytesOf, cutAt, cutIndexes } from '../pieces.js';

const WANTED = ['usage', 'status'];

function read(text: string, cuts: readonly number[] = []): Readonly<Record<string, unknown>> {
  const members = new JsonMembers(WANTED);
  for (const piece of cutAt(bytesOf(text), cuts)) members.push(piece);
  return members.members;
}

describe('JsonMembers', () => {
  it.each([
    ['{"usage":{"a":1},"status":"ok"}', { usage: { a: 1 }, status: 'ok' }],
    ['\ufeff \n{ "usage" : [1, {"usage": 2}] , "x": 1 }\n', { usage: [1, { usage: 2 }] }],
    ['{"x":{"usage":1},"y":[{"status":2}]}', {}],
    ['{"x":"\\"usage\\":1,","status":"\\\\"}', { status: '\\' }],
    ['{"x":"usage","status":"usage: {}"}', { status: 'usage: {}' }],
    ['{"usage":1,"usage":2}', { usage: 2 }],
    ['{"usage":{"a":1},"sta', { usage: { a: 1 } }],
    ['{"usage":{"a":', {}],
    ['["usage",{"usage":1}]', {}],
    ['', {}],
  ])('reads %j', (text, members) => {
    expect(read(text)).toEqual(members);
  });

  it('reads what JSON.parse reads, in pieces of any size and with any spaces', () => {
    const key = fc.oneof(fc.constantFrom(...WANTED, 'choices'), fc.string());
    const answer = fc.dictionary(key, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 });
    fc.assert(
      fc.property(answer, fc.constantFrom(undefined, 2, '\t'), cutIndexes, (value, space, cuts) => {
        const text = JSON.stringify(value, undefined, space);
        const whole = JSON.parse(text) as Record<string, unknown>;
        const wanted = Object.fromEntries(WANTED.filter((name) => name in whole).map((name) => [name, whole[name]]));
        expect(read(text, cuts)).toEqual(wanted);
      }),
    );
  });

  it('keeps no member that is larger than 64 KiB, and goes on after it', () => {
    const large = JSON.stringify({ usage: 'x'.repeat(70_000), status: 'ok' });
    expect(read(large, [10, 100, 60_000, 69_000])).toEqual({ status: 'ok' });
  });
});
