import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@sluice/test-kit/until';
import { createFakeProvider, type FakeAnswer, type FakeProvider } from '../../src/testing/index.js';
import { callOf, LimitedCalls } from '../meter/limited-call.js';
import { SDKS } from './sdks.js';

/** Streams that are aborted at the same time. */
const STREAMS = Number(process.env.SLUICE_RUNS ?? 2);

const ANSWER: FakeAnswer = { input: 12, output: 5 };

let provider: FakeProvider;
let calls: LimitedCalls;

beforeEach(async () => {
  provider = await createFakeProvider({ answer: ANSWER });
  calls = new LimitedCalls();
});
afterEach(() => provider.close());

describe.each(SDKS.map((sdk) => [sdk.name, sdk] as const))('%s', (_name, sdk) => {
  /** Sends each call of the client through a meter of its own. */
  const metered: typeof fetch = async (input, init) =>
    calls.begin(callOf(sdk.format)).response(await fetch(input, init));

  const stream = (signal?: AbortSignal): AsyncIterable<string> =>
    sdk.stream({ url: provider.url, fetch: metered }, signal);

  const allEnded = (count = 1): Promise<void> => until(() => calls.ends.length >= count);

  it('reads an answer to its end', async () => {
    const pieces: string[] = [];
    for await (const piece of stream()) pieces.push(piece);
    await allEnded();
    expect(pieces.join('')).toBe('Hello to you and all.');
    expect(calls.ends).toMatchObject([{ end: 'complete', usage: { input: 12, output: 5 } }]);
    expect(calls.used).toEqual({ rpm: 1, tpm: 17, parallel: 0 });
  });

  it('stops reading after two pieces', async () => {
    provider.next({ ...ANSWER, ...(!sdk.readsOn && { stallAfter: 2 }) });
    let read = 0;
    for await (const _ of stream()) {
      read += 1;
      if (read === 2) break;
    }
    await allEnded();
    expect(calls.ends).toMatchObject([{ end: sdk.readsOn ? 'complete' : 'broken' }]);
    expect(calls.used).toMatchObject({ parallel: 0 });
    expect(await provider.calls[0]?.ended).toBe(sdk.readsOn ? 'finished' : 'left');
  });

  it('aborts many streams after two of five pieces: all slots are free, each is settled once, none is held', async () => {
    provider.next(...Array.from({ length: STREAMS }, () => ({ ...ANSWER, stallAfter: 2 })));
    const abortAfterTwo = async (): Promise<void> => {
      const left = new AbortController();
      let read = 0;
      try {
        for await (const _ of stream(left.signal)) {
          read += 1;
          if (read === 2) left.abort();
        }
      } catch {
        // Some clients end with an error.
      }
      expect(read).toBe(2);
    };
    await Promise.all(Array.from({ length: STREAMS }, abortAfterTwo));
    await allEnded(STREAMS);
    expect(calls.ends.filter(({ end }) => end === 'broken').length).toBe(STREAMS);
    expect(calls.ends.length).toBe(STREAMS);
    const perCall = (calls.used.tpm ?? 0) / STREAMS;
    expect(calls.used).toMatchObject({ rpm: STREAMS, parallel: 0 });
    // The prompt and the two pieces, each at least one token.
    expect(perCall).toBeGreaterThanOrEqual(14);
    expect(perCall).toBeLessThan(17);
    const ends = await Promise.all(provider.calls.map(({ ended }) => ended));
    expect(ends).toEqual(Array(STREAMS).fill('left'));
  });

  it('meets a connection that the provider drops', async () => {
    provider.next({ ...ANSWER, dropAfter: 2 });
    const pieces: string[] = [];
    try {
      for await (const piece of stream()) pieces.push(piece);
    } catch {
      // Some clients end with an error.
    }
    await allEnded();
    expect(pieces.join('')).toBe('Hello to');
    expect(calls.ends).toMatchObject([{ end: 'broken' }]);
    expect(calls.used).toMatchObject({ parallel: 0 });
  });

  it('meets a provider that is overloaded within its answer', async () => {
    provider.next({ ...ANSWER, errorAfter: 3 });
    try {
      for await (const _ of stream());
    } catch {
      // Some clients end with an error.
    }
    await allEnded();
    expect(calls.ends).toMatchObject([{ end: 'broken' }]);
    expect(calls.errors[0]).toBeDefined();
    expect(calls.used).toMatchObject({ rpm: 1, parallel: 0 });
  });

  it.each([429, 529])('is refused with %d: neither tokens nor a slot are charged', async (status) => {
    provider.next({ refuse: { status } });
    try {
      for await (const _ of stream());
    } catch {
      // Some clients end with an error.
    }
    await allEnded();
    expect(calls.ends).toMatchObject([{ end: 'refused' }]);
    expect(calls.used).toEqual({ rpm: 1, tpm: 0, parallel: 0 });
  });
});
