import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { priceTable } from '@sluice/llm';
import type { OutgoingCall } from '@sluice/llm/fetch';
import { createFakeProvider, type FakeProvider } from '@sluice/llm/testing';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { addressOfRequest, isFreeRequest } from '../../src/fetch/request-kind.js';
import { outgoing } from './outgoing.js';

const prices = priceTable({
  m: { input: '1', output: '10', maxOutput: 100 },
  'eu.nova:1': { input: '1', output: '10' },
});
const PLAN = { rpm: 100, tpm: 1_000_000 };

let provider: FakeProvider;
let clock: QueueClock;
beforeAll(async () => {
  provider = await createFakeProvider({ answer: { input: 30, output: 5 } });
});
afterAll(() => provider.close());
beforeEach(() => {
  clock = new QueueClock();
});

const MESSAGES = [{ role: 'user', content: 'hello' }];
const CONTENTS = '{"contents":[{"role":"user","parts":[{"text":"hello"}]}],"generationConfig":{"temperature":1.0}}';
const CONVERSE = '{"messages":[{"role":"user","content":[{"text":"hello"}]}]}';

/** Sends a call by `providerFetch`, and returns what became of it. */
async function sent(
  path: string,
  body: string,
  headers: Record<string, string> = {},
  hold: 'expected' | 'ceiling' = 'expected',
) {
  const out = outgoing(PLAN, clock, { prices, hold });
  const answer = await out.fetch(provider.url + path, { method: 'POST', headers, body });
  await answer.text();
  const call = out.seen[0] as OutgoingCall;
  return { answer, call, used: await out.used(call), text: provider.calls.at(-1)?.text };
}

describe('providerFetch', () => {
  it.each([
    ['/v1beta/models/m:generateContent', CONTENTS, 'gemini-generate', 'm'],
    ['/v1beta/models/m:streamGenerateContent?alt=sse', CONTENTS, 'gemini-generate', 'm'],
    ['/model/eu.nova%3A1/converse', CONVERSE, 'bedrock-converse', 'eu.nova:1'],
    ['/model/eu.nova%3A1/converse-stream', CONVERSE, 'bedrock-converse', 'eu.nova:1'],
  ])('settles %s by the usage that is stated, for the model of the address', async (path, body, format, model) => {
    const { call, used, text } = await sent(path, body);
    expect(call.call).toMatchObject({ format, model });
    expect(used).toMatchObject({ rpm: 1, tpm: 35 });
    expect(text).toBe(body);
  });

  it.each([
    ['/v1beta/models/m:generateContent', CONTENTS, CONTENTS.replace('1.0', '1.0,"maxOutputTokens":100')],
    ['/model/m/converse', CONVERSE, CONVERSE.replace(/\}$/, ',"inferenceConfig":{"maxTokens":100}}')],
  ])('sets the cap of %s that its limits hold, and changes nothing else', async (path, body, capped) => {
    expect((await sent(path, body, {}, 'ceiling')).text).toBe(capped);
  });

  it('knows the callers of Google by their keys, and those of AWS by the name in their signatures', async () => {
    const keyOf = async (path: string, body: string, headers: Record<string, string> = {}) =>
      JSON.stringify((await sent(path, body, headers)).call.key);
    const gemini = '/v1beta/models/m:generateContent';
    const byField = await keyOf(gemini, CONTENTS, { 'x-goog-api-key': 'k1' });
    expect(await keyOf(`${gemini}?key=k1`, CONTENTS)).toBe(byField);
    expect(await keyOf(`${gemini}?key=k2`, CONTENTS)).not.toBe(byField);
    const signed = (id: string, signature: string) => ({
      authorization: `AWS4-HMAC-SHA256 Credential=${id}/20260101/eu/bedrock/aws4_request, SignedHeaders=host, Signature=${signature}`,
    });
    const first = await keyOf('/model/m/converse', CONVERSE, signed('AKIDA', 'aa'));
    expect(await keyOf('/model/m/converse', CONVERSE, signed('AKIDA', 'bb'))).toBe(first);
    expect(await keyOf('/model/m/converse', CONVERSE, signed('AKIDB', 'aa'))).not.toBe(first);
  });

  it('sends no signed call without the cap that its limits hold, because the body cannot be changed', async () => {
    const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=AKIDA/2026, Signature=aa' };
    const error = { code: 'SLUICE_LLM_CALL', field: 'inferenceConfig.maxTokens' };
    const out = outgoing(PLAN, clock, { prices, hold: 'ceiling' });
    const call = out.fetch(`${provider.url}/model/m/converse`, { method: 'POST', headers, body: CONVERSE });
    await expect(call).rejects.toMatchObject(error);
    expect(await out.used(out.seen[0] as OutgoingCall)).toMatchObject({ rpm: 0, tpm: 0 });
    const capped = CONVERSE.replace(/\}$/, ',"inferenceConfig":{"maxTokens":7}}');
    expect((await sent('/model/m/converse', capped, headers, 'ceiling')).text).toBe(capped);
  });

  it('caps a chat as the host of its provider understands it', async () => {
    const bodies: string[] = [];
    const send: typeof fetch = async (_, init) => {
      bodies.push(String(init?.body));
      return Response.json({});
    };
    for (const host of ['api.mistral.ai', 'api.openai.com', 'a.openai.azure.com']) {
      const out = outgoing(PLAN, clock, { prices, hold: 'ceiling', fetch: send });
      await out.fetch(`https://${host}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', messages: MESSAGES }),
      });
    }
    const out = outgoing(PLAN, clock, { prices, hold: 'ceiling', fetch: send, provider: 'deepseek' });
    await out.fetch('https://gateway/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: MESSAGES }),
    });
    const caps = bodies.map((body) => Object.keys(JSON.parse(body)).at(-1));
    expect(caps).toEqual(['max_tokens', 'max_completion_tokens', 'max_completion_tokens', 'max_tokens']);
  });

  it('takes the model of an address of Azure, whatever the body says', async () => {
    const out = outgoing(PLAN, clock, { prices, fetch: async () => Response.json({}) });
    const url = 'https://a.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21';
    await out.fetch(url, { method: 'POST', body: JSON.stringify({ model: 'cheaper', messages: MESSAGES }) });
    expect(out.seen[0]?.call.model).toBe('m');
  });

  it.each([
    ['/v1beta/models/m:countTokens', true],
    ['/model/eu.nova%3A1/count-tokens', true],
    ['/v1beta/cachedContents', false],
    ['/v1beta/models/veo:predictLongRunning', false],
    ['/model/a/invoke-with-bidirectional-stream', false],
  ])('knows of POST %s whether it is free: %s', (path, isFree) => {
    const url = `https://provider.example${path}`;
    expect(isFreeRequest(url, { method: 'POST' })).toBe(isFree);
    expect(addressOfRequest(url, { method: 'POST' }, undefined)).toBeUndefined();
  });
});
