import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeFrame } from '../../src/meter/frame.js';
import { frameReader } from '../../src/meter/frame-reader.js';
import { createUsageReader } from '../../src/usage/usage-reader.js';

const metadata = (outputTokens: number): Buffer =>
  writeFrame({ ':event-type': 'metadata' }, JSON.stringify({ usage: { inputTokens: 25, outputTokens } }));
const text = (length: number): Buffer =>
  writeFrame({ ':event-type': 'contentBlockDelta' }, JSON.stringify({ delta: { text: 'x'.repeat(length) } }));

function read(bytes: Buffer, size: number) {
  const usage = createUsageReader('bedrock-converse');
  const reader = frameReader(usage);
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    reader.push(chunk);
    // It belongs to somebody else again.
    chunk.fill(0);
  }
  return usage;
}

describe("Amazon's event streams", () => {
  it('say the same, however they are cut', () => {
    const bytes = Buffer.concat([text(5), text(0), text(300), metadata(12)]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length }), (size) => {
        expect(read(bytes, size).stated).toMatchObject({ input: 25, output: 12, complete: true });
      }),
    );
  });

  it('say nothing more from a message on whose checksum is wrong', () => {
    const broken = text(300);
    broken[100] = 0;
    expect(read(Buffer.concat([broken, metadata(12)]), 7).stated).toBeUndefined();
  });

  // If each piece was joined with all before it, this would copy 60 GB.
  it('take no longer for a long message', () => {
    expect(read(Buffer.concat([text(8_000_000), metadata(12)]), 512).stated).toMatchObject({ output: 12 });
  }, 5000);
});
