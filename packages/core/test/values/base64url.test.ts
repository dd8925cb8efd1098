import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromBase64url, toBase64url } from '../../src/values/base64url.js';

describe('Bytes as base64url', () => {
  it('are the text that Node.js makes of them, and come back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = toBase64url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect([...fromBase64url(text)]).toEqual([...bytes]);
      }),
    );
  });
});
