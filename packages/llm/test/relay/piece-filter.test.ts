import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { vendorOf } from '../../src/dialects/vendors.js';
import { writeFrame } from '../../src/meter/frame.js';
import { elementEnds, frameEnds, lineEnds, type PieceEnds } from '../../src/meter/piece-ends.js';
import { framesWithoutAccount, piecesWithoutAccount } from '../../src/relay/own-account.js';
import { editedBody, type PieceEdit, PieceFilter } from '../../src/relay/piece-filter.js';
import { bytesOf, cutAt, cutIndexes } from '../pieces.js';

const told: string[] = [];
const withholding = { vendor: vendorOf('google'), onWithheld: (text: string) => void told.push(text) };

async function filtered(pieces: readonly Uint8Array[], ends: PieceEnds, edit: PieceEdit): Promise<Buffer> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return Buffer.from(await new Response(editedBody(body, new PieceFilter(ends, edit))).arrayBuffer());
}

const json = (text: string, cuts: readonly number[] = [], ends = elementEnds()): Promise<string> =>
  filtered(cutAt(bytesOf(text), cuts), ends, piecesWithoutAccount(withholding)).then(String);

const NEUTRAL = 'The model cannot go on. Try again later.';
const LEAK =
  '{"error":{"code":429,"message":"Quota exceeded for project projects/acme-1","status":"RESOURCE_EXHAUSTED"}}';
const CLEAN = LEAK.replace('Quota exceeded for project projects/acme-1', NEUTRAL);

describe('Of an answer in JSON, a client gets no error that speaks of the account', () => {
  it.each([
    ['in an array', `[{"a":"é"}\n,\r\n${LEAK}]`],
    ['in an object', `{"id":"a","output":[],${LEAK.slice(1, -1)},"usage":null}`],
  ])('%s, however it is cut', async (_what, text) => {
    await fc.assert(
      fc.asyncProperty(cutIndexes, async (cuts) => {
        expect(await json(text, cuts)).toBe(text.replace(LEAK.slice(1, -1), CLEAN.slice(1, -1)));
      }),
    );
  });

  it('in the lines of the results of a batch', async () => {
    const line = '{"custom_id":"a","response":{"body":{"usage":{},"error":null}}}\n';
    expect(await json(`${line}${LEAK}\n${line}`, [10, 80], lineEnds())).toBe(`${line}${CLEAN}\n${line}`);
    expect(await json(LEAK, [], lineEnds())).toBe(CLEAN);
  });

  it('that is longer than a megabyte', async () => {
    const long = `[{"a":1},${LEAK.replace('Quota', `${'x'.repeat(1_100_000)} Quota`)},{"b":2}]`;
    const got = JSON.parse(await json(long, [100, 1_090_000, 1_099_999]));
    expect(got).toMatchObject([{ a: 1 }, { error: { message: NEUTRAL } }, { b: 2 }]);
    expect(told.at(-1)?.length).toBe(65_536);
  });

  it.each([
    '[{"text":"\\"error\\":{\\"message\\":\\"your account\\"}"}]',
    '[{"error":{"message":"max_tokens is too large"}}]',
    `[{"text":"${'x'.repeat(1_100_000)}","error":null}]`,
    'no JSON at all ] } "error',
    '',
  ])('and all else to the byte', async (text) => {
    expect(await json(text, [3])).toBe(text);
  });
});

describe('Of a stream of Bedrock, a client gets no error that speaks of the account', () => {
  const event = writeFrame(
    { ':message-type': 'event', ':event-type': 'contentBlockDelta' },
    '{"delta":{"text":"your account"}}',
  );
  const exception = (message: string) =>
    writeFrame({ ':message-type': 'exception', ':exception-type': 'throttlingException' }, JSON.stringify({ message }));
  const error = (message: string) =>
    writeFrame({ ':message-type': 'error', ':error-code': 'internal', ':error-message': message }, '');
  const LEAKED = 'User: arn:aws:iam::123456789012:user/gateway is not authorized';

  it.each([
    ['an exception', exception],
    ['an error', error],
  ])('as %s, however it is cut', async (_what, frameOf) => {
    const sent = Buffer.concat([event, frameOf(LEAKED), event, frameOf('Too many tokens.')]);
    const expected = Buffer.concat([event, frameOf(NEUTRAL), event, frameOf('Too many tokens.')]);
    await fc.assert(
      fc.asyncProperty(cutIndexes, async (cuts) => {
        const got = await filtered(cutAt(sent, cuts), frameEnds(), framesWithoutAccount(withholding));
        expect(got.equals(expected)).toBe(true);
      }),
    );
    expect(told.at(-1)).toContain('arn:aws');
  });

  it('and all else to the byte, also what is no message', async () => {
    const sent = Buffer.concat([event, Buffer.from('this is no message, and it is long enough :error-code')]);
    const got = await filtered([sent], frameEnds(), framesWithoutAccount(withholding));
    expect(got.equals(sent)).toBe(true);
  });
});
