import { afterEach, describe, expect, it } from '@jest/globals';
import { FAILING_PROVIDERS, type Running } from './failing-providers.js';
import { SENDERS, type Used } from './senders.js';

let provider: Running | undefined;

afterEach(() => provider?.close());

/** What a failed call is charged. */
const CHARGED = {
  unsent: (used: Used) => expect(used).toEqual({ rpm: 0, rpd: 0, tpm: 0, parallel: 0, perDay: 0 }),
  refused: (used: Used) => expect(used).toEqual({ rpm: 1, rpd: 1, tpm: 0, parallel: 0, perDay: 0 }),
  /** No stream was asked for, so at least what was held: 100 tokens of the output, and the prompt. */
  broken: (used: Used) => {
    expect(used).toMatchObject({ rpm: 1, rpd: 1, parallel: 0 });
    expect(used.tpm).toBeGreaterThan(100);
    expect(used.perDay).toBeGreaterThan(1000);
  },
  /** Thirty tokens of the prompt, and twenty of the output. */
  complete: (used: Used) => expect(used).toEqual({ rpm: 1, rpd: 1, tpm: 50, parallel: 0, perDay: 230 }),
} as const;

describe.each(SENDERS)('$name', ({ send, hidesUsage }) => {
  it.each(FAILING_PROVIDERS)('is charged for $what as for a call that is $end', async ({ start, end, isGivenUp }) => {
    provider = await start();
    const known = end === 'complete' && hidesUsage ? 'refused' : end;
    CHARGED[known](await send(provider.url, isGivenUp ?? false));
  });
});
