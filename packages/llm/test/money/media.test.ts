import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { createLlm, type LlmOptions, type Price, priceTable, readCall, readUsage } from '../../src/index.js';
import { checkedHold } from '../../src/plan/hold.js';
import { settlementOf } from '../../src/settle/settlement.js';
import { checkedWeights } from '../../src/settle/token-weights.js';
import { createFakeProvider } from '../../src/testing/index.js';

const IMAGE = { model: 'gpt-image', prompt: 'A harbour in the evening', size: '1024x1024', quality: 'high' };
const SPEECH = { model: 'gpt-tts', input: 'Good evening.', voice: 'alloy', stream_format: 'sse', speed: 1.25 };
const PRICE: Price = { input: '5', imageInput: '8', output: '10', imageOutput: '40', maxOutput: 1000 };
const SPOKEN: Price = { input: '1', output: '0', audioOutput: '12', maxOutput: 2000 };

function gateway(price: Price, options: Partial<LlmOptions<[Request]>> = {}) {
  const llm = createLlm<[Request]>({
    call: (request) => request.clone().json(),
    plan: { perDay: 10_000_000 },
    prices: priceTable({ 'gpt-image': price, 'gpt-tts': price }),
    ...options,
  });
  const limiter = createLimiter<Request>({
    store: closedAfterTest(new MemoryStore()),
    limits: llm.policy.limits,
    keyGenerator: () => 'ann',
  });
  const post = async (path: string, body: object) =>
    limiter.reserve(new Request(`http://gateway/v1/${path}`, { method: 'POST', body: JSON.stringify(body) }));
  return {
    reserve: (body: object = {}) => post('images/generations', { ...IMAGE, ...body }),
    speak: (body: object = {}) => post('audio/speech', { ...SPEECH, ...body }),
  };
}

describe('A call for images', () => {
  it.each([
    [{}, 1],
    [{ n: 4 }, 4],
  ])('with %j holds the most tokens of %d images, at their price', async (body, n) => {
    const { verdicts } = await gateway(PRICE).reserve(body);
    const { inputCeiling } = readCall({ ...IMAGE, ...body }, { format: 'openai-images' });
    // Nobody knows before the answer what a token of the prompt costs, so each has the dearest rate.
    expect(verdicts[0]?.cost).toBe(inputCeiling * 8 + n * 1000 * 40);
  });

  it('holds as much if little is left, because no member makes an image smaller', async () => {
    const { reserve } = gateway(PRICE, { plan: { perDay: 60_000 } });
    const { allowed, verdicts } = await reserve();
    expect([allowed, verdicts[0]?.cost]).toEqual([true, expect.any(Number)]);
    expect(verdicts[0]?.cost).toBeGreaterThan(40_000);
    expect((await reserve()).allowed).toBe(false);
  });

  it.each<[why: string, price: Price]>([
    ['imageOutput', { input: '5', output: '40', maxOutput: 1000 }],
    ['maxOutput', { ...PRICE, maxOutput: undefined } as unknown as Price],
  ])('is refused if the price of its model has no %s', async (why, price) => {
    await expect(gateway(price).reserve()).rejects.toMatchObject({
      field: 'model',
      status: 400,
      message: expect.stringContaining(why),
    });
  });

  it('needs no maxOutput where no limit holds the ceiling', async () => {
    const { maxOutput: _, ...price } = PRICE;
    expect(await gateway(price, { hold: 'expected' }).reserve()).toMatchObject({ allowed: true });
  });

  it.each<[field: string, body: object]>([
    ['output_format', { output_format: 'svg' }],
    ['output_format', { output_format: 'gif' }],
    ['svg', { svg: { model: 'gpt-5.6' } }],
    ['partial_images', { stream: true, partial_images: 2 }],
    ['n', { stream: true, n: 2 }],
    ['n', { n: 1.5 }],
    ['prompt', { prompt: ['a', 'b'] }],
  ])('is refused because of %s: %j', async (field, body) => {
    await expect(gateway(PRICE).reserve(body)).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field });
  });

  it.each<object>([
    { background: 'transparent' },
    { output_format: 'webp' },
    { stream: true, partial_images: 0 },
    { stream: true, n: 1 },
    { n: null },
  ])('passes with %j', async (body) => {
    expect(await gateway(PRICE).reserve(body)).toMatchObject({ allowed: true });
  });

  it('may have previews if the operator allows them', async () => {
    const { reserve } = gateway(PRICE, { body: { partial_images: 'allow' } });
    expect(await reserve({ stream: true, partial_images: 2 })).toMatchObject({ allowed: true });
  });
});

describe('A call for speech', () => {
  it('holds the most tokens of sound, at their price', async () => {
    const { verdicts } = await gateway(SPOKEN).speak();
    const { inputCeiling } = readCall(SPEECH, { format: 'openai-speech' });
    expect(verdicts[0]?.cost).toBe(inputCeiling + 2000 * 12);
  });

  it.each<[field: string, body: object]>([
    ['stream_format', { stream_format: undefined }],
    ['stream_format', { stream_format: 'audio' }],
    ['input', { input: ['a', 'b'] }],
    ['model', { model: 'gpt-unknown' }],
  ])('is refused because of %s: %j', async (field, body) => {
    await expect(gateway(SPOKEN).speak(body)).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL', field });
  });

  it('is refused if the price of its model has no rate of sound', async () => {
    const { audioOutput: _, ...price } = SPOKEN;
    await expect(gateway(price).speak()).rejects.toThrow(/audioOutput/);
  });
});

describe('Images and speech that break off', () => {
  it('are charged at least as held on limits of tokens, too, because nobody counts them', () => {
    const rules = {
      weights: checkedWeights(),
      costOf: () => undefined,
      hold: checkedHold(),
      unknownUsage: 'counted' as const,
    };
    const call = readCall(SPEECH, { format: 'openai-speech', stream: true });
    const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, complete: false };
    const settle = settlementOf(rules, () => 'tokens');
    expect(settle(call, { end: 'broken', usage }, { tpm: 700 }).amounts).toEqual({ tpm: 700 });
  });
});

describe('The usage of images', () => {
  const stated = {
    input_tokens: 50,
    input_tokens_details: { text_tokens: 20, image_tokens: 30 },
    output_tokens: 400,
    total_tokens: 450,
  };

  it('is images, but for what the answer states as text', () => {
    const of = (usage: object) => readUsage({ data: [], usage }, 'openai-images');
    const whole = { input: 50, imageInput: 30, output: 400, complete: true };
    expect(of(stated)).toMatchObject({ ...whole, imageOutput: 400 });
    const details = { output_tokens_details: { text_tokens: 100, image_tokens: 300 } };
    expect(of({ ...stated, ...details })).toMatchObject({ ...whole, imageOutput: 300 });
    expect(of({ ...stated, output_tokens_details: { text_tokens: 500 } })).toBeUndefined();
  });

  it('is priced by what it is', () => {
    const prices = priceTable({ 'gpt-image': PRICE });
    const usage = readUsage({ usage: stated }, 'openai-images');
    expect(usage && prices.cost('gpt-image', usage)).toBe(20 * 5 + 30 * 8 + 400 * 40);
  });
});

describe('Speech that is priced by its characters', () => {
  const BY_CHARACTERS: Price = { input: '0', output: '0', characters: '15' };
  const SOUND = { stream_format: undefined, input: 'Good evening, harbour \u{1f6a2}.' };

  it('costs what it speaks, before the call and after it, and needs no events', async () => {
    const { verdicts } = await gateway(BY_CHARACTERS).speak(SOUND);
    expect(verdicts[0]?.cost).toBe(Math.ceil(SOUND.input.length * 15));
    expect((await gateway(BY_CHARACTERS).speak()).verdicts[0]?.cost).toBe(SPEECH.input.length * 15);
  });

  it('is charged what the provider bills', async () => {
    const provider = await createFakeProvider();
    const prices = priceTable({ 'tts-1': BY_CHARACTERS });
    const llm = createLlm<[Request]>({ call: (request) => request.clone().json(), plan: { perDay: 10_000 }, prices });
    const store = closedAfterTest(new MemoryStore());
    const limiter = createLimiter<Request>({ store, limits: llm.policy.limits, keyGenerator: () => 'ann' });
    const body = JSON.stringify({ ...SPEECH, ...SOUND, model: 'tts-1' });
    const request = new Request('http://gateway/v1/audio/speech', { method: 'POST', body });
    await llm.policy.extraHeaders(request, await limiter.reserve(request));
    const answer = await llm.relay(request, (text) =>
      fetch(`${provider.url}/v1/audio/speech`, { method: 'POST', body: text }),
    );
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    const { budgets } = await llm.spend('ann');
    expect(budgets[0]).toMatchObject({ spent: prices.cost('tts-1', provider.calls[0]?.billed as never), held: 0 });
    expect(budgets[0]?.spent).toBe(SOUND.input.length * 15);
    await provider.close();
  });
});
