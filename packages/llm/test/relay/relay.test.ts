import { describe, expect, it } from '@jest/globals';
import { createLlm } from '../../src/index.js';
import { outgoingBody } from '../../src/relay/outgoing-body.js';
import { callOf } from '../meter/limited-call.js';

describe('the body that a relay sends', () => {
  const USAGE = { stream_options: { include_usage: true } };

  it.each([
    ['openai-chat', {}, undefined, USAGE],
    [
      'openai-chat',
      { stream_options: { include_usage: false, other: 1 } },
      undefined,
      { stream_options: { include_usage: true, other: 1 } },
    ],
    ['openai-chat', USAGE, undefined, USAGE],
    ['openai-completions', {}, 50, { ...USAGE, max_tokens: 50 }],
    ['openai-chat', {}, 50, { ...USAGE, max_completion_tokens: 50 }],
    ['openai-chat', { max_tokens: 100 }, 50, { ...USAGE, max_tokens: 50 }],
    [
      'openai-chat',
      { max_tokens: 10, max_completion_tokens: 90 },
      50,
      { ...USAGE, max_tokens: 10, max_completion_tokens: 50 },
    ],
    ['openai-responses', {}, 50, { max_output_tokens: 50 }],
    ['anthropic-messages', { max_tokens: 20 }, 50, { max_tokens: 20 }],
    ['openai-embeddings', {}, 50, {}],
  ] as const)('%s: %j with the cap %j becomes %j', (format, asked, sentCap, sent) => {
    const call = { ...callOf(format), model: 'cheaper' };
    const { text } = outgoingBody({ body: { ...asked, model: 'asked' }, call, ...(sentCap && { sentCap }) });
    expect(JSON.parse(text)).toEqual({ ...asked, ...sent, model: 'cheaper' });
  });
});

describe('a relay', () => {
  const { relay } = createLlm({ call: (body: unknown) => body, plan: { rpm: 1 } });
  const send = async (): Promise<Response> => new Response();

  it('sends no call that no policy has admitted', async () => {
    await expect(relay(new Request('http://gateway'), send)).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    await expect(relay({ req: {}, res: {} }, send)).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
  });

  it.each([undefined, null, 'request', {}, { req: {}, res: undefined }])(
    'refuses the exchange %j',
    async (exchange) => {
      await expect(relay(exchange as unknown as Request, send)).rejects.toMatchObject({
        code: 'SLUICE_OPTION',
        path: 'exchange',
      });
    },
  );
});
