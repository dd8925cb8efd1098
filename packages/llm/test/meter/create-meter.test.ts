import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import fc from 'fast-check';
import type { Format } from '../../src/dialects/format.js';
import type { CallEnd } from '../../src/meter/call-outcome.js';
import type { Meter } from '../../src/meter/meter.js';
import { bytesOf, cutAt, cutIndexes } from '../pieces.js';
import { callOf, HELD, LimitedCalls, MAX_HOLD_MS } from './limited-call.js';

/** Set `SLUICE_RUNS` for a longer hunt. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 5);

let calls: LimitedCalls;

beforeEach(() => {
  calls = new LimitedCalls();
});

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const TEXT = '안녕 \u{1f600} “data: {}\n\n” é';
const CHAT = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
const PARTS = { input_tokens: 12, output_tokens: 5 };

/** Whole bodies of all dialects, each of 12 tokens in and 5 out. */
const BODIES: readonly (readonly [Format, string, body: string])[] = [
  ['openai-chat', 'JSON', JSON.stringify({ choices: [{ message: { content: TEXT } }], usage: CHAT }, undefined, 2)],
  [
    'openai-responses',
    'JSON',
    JSON.stringify({ object: 'response', status: 'completed', usage: PARTS, output: [TEXT] }),
  ],
  ['anthropic-messages', 'JSON', JSON.stringify({ type: 'message', content: [{ text: TEXT }], usage: PARTS })],
  ['openai-embeddings', 'JSON', JSON.stringify({ data: [[0.1]], usage: { prompt_tokens: 17, total_tokens: 17 } })],
  [
    'openai-chat',
    'events',
    [
      ': comment\n\n',
      event({ choices: [{ delta: { content: TEXT }, finish_reason: null }], usage: null }),
      event({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: null }),
      event({ choices: [], usage: CHAT }),
      'data: [DONE]\n\n',
    ].join(''),
  ],
  [
    'openai-responses',
    'events',
    [
      event({ type: 'response.output_text.delta', delta: TEXT }, 'response.output_text.delta'),
      event({ type: 'response.completed', response: { status: 'completed', usage: PARTS } }, 'response.completed'),
    ].join(''),
  ],
  [
    'anthropic-messages',
    'events',
    [
      event({ type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } }, 'message_start'),
      event({ type: 'content_block_delta', delta: { type: 'text_delta', text: TEXT } }, 'content_block_delta'),
      event(
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
        'message_delta',
      ),
      event({ type: 'message_stop' }, 'message_stop'),
    ].join(''),
  ],
];

const ENCODINGS = {
  plain: bytesOf,
  'with CRLF': (text: string) => bytesOf(text.replaceAll('\n', '\r\n')),
  'with a byte order mark': (text: string) => bytesOf(`\ufeff${text}`),
  gzipped: (text: string) => new Uint8Array(gzipSync(text)),
} as const;

async function pushAll(meter: Meter, pieces: readonly Uint8Array[], how: CallEnd = 'complete'): Promise<void> {
  for (const piece of pieces) meter.push(piece);
  await meter.end(how);
}

describe.each(BODIES)('%s as %s', (format, _kind, body) => {
  it.each(Object.entries(ENCODINGS))('is charged as stated, however it is cut: %s', async (name, encoded) => {
    await fc.assert(
      fc.asyncProperty(cutIndexes, async (cuts) => {
        calls = new LimitedCalls();
        await pushAll(calls.begin(callOf(format)), cutAt(encoded(body), cuts));
        expect(calls.used).toEqual({ rpm: 1, tpm: 17, parallel: 0 });
        expect(calls.ends).toMatchObject([{ end: 'complete', usage: { complete: true } }]);
      }),
      { numRuns: name === 'gzipped' ? 2 : RUNS },
    );
  });
});

const [, , CHAT_EVENTS] = BODIES[4] as (typeof BODIES)[number];

describe('an end', () => {
  it.each<[CallEnd, body: string, end: CallEnd, tpm: number]>([
    // Only the last word of the provider makes a call complete.
    ['complete', CHAT_EVENTS, 'complete', 17],
    ['broken', CHAT_EVENTS, 'complete', 17],
    ['abandoned', CHAT_EVENTS, 'complete', 17],
    ['complete', event({ choices: [{ delta: { content: 'Hi' } }] }), 'broken', 13],
    ['broken', event({ choices: [{ delta: { content: 'Hi' } }] }), 'broken', 13],
    ['abandoned', event({ choices: [{ delta: { content: 'Hi' } }] }), 'abandoned', HELD],
    ['complete', '', 'broken', 12],
    ['refused', '', 'refused', 0],
    ['unsent', '', 'unsent', 0],
    // The provider has answered, whatever the caller says.
    ['unsent', CHAT_EVENTS, 'complete', 17],
    ['abandoned', '', 'abandoned', HELD],
  ])("'%s' after %j is charged as %s", async (how, body, end, tpm) => {
    await pushAll(calls.begin(callOf('openai-chat')), [bytesOf(body)], how);
    expect(calls.ends.map((each) => each.end)).toEqual([end]);
    expect(calls.used).toMatchObject({ tpm, parallel: 0 });
  });

  it('settles once, however many there are', async () => {
    const ends: readonly CallEnd[] = ['complete', 'broken', 'refused', 'unsent', 'abandoned'];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...ends), { minLength: 2 }), async (several) => {
        calls = new LimitedCalls();
        const meter = calls.begin(callOf('openai-chat'));
        meter.push(bytesOf(CHAT_EVENTS));
        await Promise.all(several.map((how) => meter.end(how)));
        await meter.settle({ ...meter.usage, output: 500 });
        expect(calls.ends.length).toBe(1);
        expect(calls.used).toEqual({ rpm: 1, tpm: 17, parallel: 0 });
      }),
    );
  });

  it('can come with a usage that is known from elsewhere', async () => {
    const meter = calls.begin(callOf('openai-chat'));
    await meter.settle({ input: 3, cacheRead: 0, cacheWrite: 0, output: 4, reasoning: 0, complete: true });
    await meter.end('abandoned');
    expect(calls.used).toEqual({ rpm: 1, tpm: 7, parallel: 0 });
  });
});

describe('an answer', () => {
  const streamed = (pieces: readonly Uint8Array[], init?: ResponseInit): Response =>
    new Response(ReadableStream.from(pieces) as ReadableStream<Uint8Array>, init);

  it('is passed on to the byte', async () => {
    const pieces = cutAt(bytesOf(CHAT_EVENTS), [3, 50, 51, 120]);
    const metered = calls.begin(callOf('openai-chat')).response(streamed(pieces, { headers: { a: 'b' } }));
    expect(metered.headers.get('a')).toBe('b');
    expect(await metered.text()).toBe(CHAT_EVENTS);
    expect(calls.used).toEqual({ rpm: 1, tpm: 17, parallel: 0 });
  });

  it('is complete if its reader cancels after the last usage, as openai 7 does', async () => {
    const metered = calls.begin(callOf('openai-chat')).response(streamed([bytesOf(CHAT_EVENTS), bytesOf(' ')]));
    const reader = metered.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(calls.ends).toMatchObject([{ end: 'complete' }]);
  });

  it('is read only as fast as somebody asks', async () => {
    let asked = 0;
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          asked += 1;
          controller.enqueue(bytesOf('data: 1\n\n'));
        },
      },
      { highWaterMark: 0 },
    );
    const reader = calls.begin(callOf('openai-chat')).response(new Response(source)).body?.getReader();
    await reader?.read();
    await reader?.read();
    await new Promise(setImmediate);
    // One chunk waits for whoever asks next.
    expect(asked).toBe(3);
  });

  it('that breaks off passes the error on', async () => {
    const source = async function* () {
      yield bytesOf(event({ choices: [{ delta: { content: 'Hi' } }] }));
      throw new Error('reset');
    };
    const metered = calls.begin(callOf('openai-chat')).response(new Response(ReadableStream.from(source())));
    await expect(metered.text()).rejects.toThrow('reset');
    expect(calls.ends).toMatchObject([{ end: 'broken' }]);
    expect(calls.used).toMatchObject({ tpm: 13, parallel: 0 });
  });

  it.each([400, 401, 429, 500, 503, 529])('with status %d costs neither tokens nor a slot', async (status) => {
    const metered = calls.begin(callOf('openai-chat')).response(new Response('{"usage":{}}', { status }));
    expect(await metered.text()).toBe('{"usage":{}}');
    expect(calls.used).toEqual({ rpm: 1, tpm: 0, parallel: 0 });
  });

  it.each([400, 500])(
    'with status %d is settled although nobody reads it, by the usage that it states',
    async (status) => {
      const body = JSON.stringify({ error: { message: 'No' }, usage: CHAT });
      const meter = calls.begin(callOf('openai-chat'));
      const answer = meter.response(new Response(body, { status }));
      await meter.ended;
      expect(calls.used).toEqual({ rpm: 1, tpm: 17, parallel: 0 });
      expect(await answer.text()).toBe(body);
    },
  );

  it('with an error that has no end is settled, and read on as somebody wants it', async () => {
    let bytes = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        bytes += 10_000;
        controller.enqueue(new Uint8Array(10_000));
      },
    });
    const meter = calls.begin(callOf('openai-chat'));
    const answer = meter.response(new Response(endless, { status: 500 }));
    await meter.ended;
    expect(calls.used).toEqual({ rpm: 1, tpm: 0, parallel: 0 });
    const before = bytes;
    await new Promise((resolve) => setImmediate(resolve));
    expect([bytes, bytes < 100_000]).toEqual([before, true]);
    await answer.body?.cancel();
  });

  it.each(['cancelled', 'broken off'])('with an error that is %s is refused', async (how) => {
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => (how === 'cancelled' ? undefined : controller.error(new Error('reset'))),
    });
    const meter = calls.begin(callOf('openai-chat'));
    const answer = meter.response(new Response(silent, { status: 503 }));
    if (how === 'cancelled') await answer.body?.cancel();
    await meter.ended;
    expect(calls.ends).toMatchObject([{ end: 'refused' }]);
  });

  it('whose body somebody else has read is charged as one without a usage', async () => {
    const answer = Response.json({ usage: CHAT });
    await answer.text();
    const meter = calls.begin(callOf('openai-chat', false));
    expect(meter.response(answer)).toBe(answer);
    await meter.ended;
    expect(calls.used).toEqual({ rpm: 1, tpm: HELD, parallel: 0 });
  });

  it('whose body turns out to be empty ends the call, although nobody reads it', async () => {
    const calls = new LimitedCalls();
    const empty = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
    const meter = calls.begin(callOf('openai-chat', false));
    meter.response(new Response(empty, { headers: { 'transfer-encoding': 'chunked' } }));
    await meter.ended;
    expect(calls.used).toMatchObject({ parallel: 0 });
  });

  it('without a body ends the call', async () => {
    const meter = calls.begin(callOf('openai-chat'));
    meter.response(new Response(null, { status: 204 }));
    await meter.end('refused');
    expect(calls.ends).toMatchObject([{ end: 'broken' }]);
  });

  it('drops the fields of an encoding that fetch has undone', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '9', 'x-request-id': '1' };
    const metered = calls.begin(callOf('openai-chat')).response(streamed([bytesOf('{}')], { headers }));
    expect([...metered.headers]).toEqual([['x-request-id', '1']]);
    await metered.text();
  });
});

describe('a call that nobody ends', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('frees its slot and keeps its charge after the longest hold', async () => {
    const metered = calls.begin(callOf('openai-chat')).response(new Response('{}'));
    await turn();
    calls.clock.advance(MAX_HOLD_MS - 1);
    await turn();
    expect(calls.used).toMatchObject({ parallel: 1 });
    calls.clock.advance(1);
    await turn();
    expect(calls.ends).toMatchObject([{ end: 'abandoned' }]);
    expect(calls.used).toMatchObject({ parallel: 0 });
    await expect(metered.text()).rejects.toThrow('not read for too long');
  });

  it('keeps what it holds', async () => {
    calls.begin(callOf('openai-chat'));
    calls.clock.advance(59_000);
    const later = calls.begin(callOf('openai-chat'));
    expect(calls.used.tpm).toBe(2 * HELD);
    await later.end('abandoned');
    expect(calls.used.tpm).toBe(2 * HELD);
  });

  it('is not a call whose answer is being read', async () => {
    const meter = calls.begin(callOf('openai-chat'));
    for (let i = 0; i < 5; i += 1) {
      meter.push(bytesOf('data: 1\n\n'));
      calls.clock.advance(MAX_HOLD_MS - 1);
      await turn();
    }
    expect(calls.ends).toEqual([]);
    calls.clock.advance(1);
    await turn();
    expect(calls.ends).toMatchObject([{ end: 'abandoned' }]);
  });

  it('is held for the longest hold after its last progress, and no longer, whatever other calls do', async () => {
    const moves = fc.array(fc.record({ call: fc.nat(4), afterMs: fc.integer({ min: 0, max: MAX_HOLD_MS / 3 }) }), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        calls = new LimitedCalls();
        const meters = Array.from({ length: 5 }, () => calls.begin(callOf('openai-chat')));
        const dueMs = meters.map(() => MAX_HOLD_MS);
        const expectHeld = (atMs: number) =>
          expect(calls.used).toMatchObject({ parallel: dueMs.filter((due) => due > atMs).length });
        let nowMs = 0;
        const until = async (atMs: number): Promise<void> => {
          // Each end is looked at: a millisecond before, and at its time.
          const looks = [...dueMs.flatMap((due) => [due - 1, due]), atMs].filter((ms) => ms > nowMs && ms <= atMs);
          for (const ms of looks.sort((a, b) => a - b)) {
            calls.clock.advance(ms - nowMs);
            nowMs = ms;
            await turn();
            expectHeld(ms);
          }
        };
        for (const { call, afterMs } of all) {
          await until(nowMs + afterMs);
          if ((dueMs[call] as number) > nowMs) dueMs[call] = nowMs + MAX_HOLD_MS;
          (meters[call] as Meter).push(bytesOf('data: 1\n\n'));
        }
        await until(nowMs + MAX_HOLD_MS);
        expect(calls.ends).toHaveLength(5);
      }),
      { numRuns: RUNS },
    );
  });

  it('is one of a thousand that share one sleep', async () => {
    const count = 1000;
    for (let i = 0; i < count; i += 1) {
      calls.begin(callOf('openai-chat'));
      calls.clock.advance(1);
    }
    expect(calls.used).toMatchObject({ parallel: count });
    calls.clock.advance(MAX_HOLD_MS - count / 2 - 1);
    await turn();
    expect(calls.used).toMatchObject({ parallel: count / 2 });
  });
});

describe('a usage that makes no sense', () => {
  it('is charged as held, with one warning', async () => {
    const warnings = emittedWarnings();
    const body = JSON.stringify({ choices: [], usage: { prompt_tokens: -1, completion_tokens: 'x' } });
    await pushAll(calls.begin(callOf('openai-chat', false)), [bytesOf(body)]);
    await pushAll(calls.begin(callOf('openai-chat', false)), [bytesOf(body)]);
    expect(calls.used).toMatchObject({ tpm: 2 * HELD, parallel: 0 });
    expect(warnings.map(({ code }) => code)).toEqual(['SLUICE_LLM_USAGE']);
  });
});

describe('the meter', () => {
  it('tells the error that an event states within an answer', async () => {
    const meter = calls.begin(callOf('anthropic-messages'));
    await pushAll(meter, [bytesOf(event({ type: 'error', error: { type: 'overloaded_error' } }, 'error'))]);
    expect(calls.errors).toEqual([{ type: 'overloaded_error' }]);
    expect(calls.ends).toMatchObject([{ end: 'broken' }]);
  });

  it('reads data that begins with spaces, or on another line', async () => {
    const calls = new LimitedCalls();
    const meter = calls.begin(callOf('openai-chat'));
    meter.push(
      bytesOf(`data:  ${JSON.stringify({ choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] })}\n\n`),
    );
    meter.push(bytesOf('data:\ndata: {"choices":[],\ndata: "usage":{"prompt_tokens":12,"completion_tokens":5}}\n\n'));
    await meter.end('complete');
    expect(calls.used).toMatchObject({ tpm: 17 });
  });

  it('does not take the first event of a message for its end', async () => {
    const [, , body] = BODIES[6] as (typeof BODIES)[number];
    const start = body.slice(0, body.indexOf('event: content_block_delta'));
    await pushAll(calls.begin(callOf('anthropic-messages')), [bytesOf(start)], 'broken');
    expect(calls.ends).toMatchObject([{ end: 'broken', usage: { input: 12, complete: false } }]);
  });

  it('reads past an event that is too long to keep', async () => {
    const meter = calls.begin(callOf('openai-chat'));
    const megabyte = bytesOf('x'.repeat(1_048_576));
    meter.push(bytesOf('data: '));
    for (let i = 0; i < 20; i += 1) meter.push(megabyte);
    await meter.end('complete');
    expect(calls.ends).toMatchObject([{ end: 'broken' }]);
  });
});
