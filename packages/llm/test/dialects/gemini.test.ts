import { describe, expect, it } from '@jest/globals';
import { capChanges } from '../../src/call/caps.js';
import { checkPriced } from '../../src/call/priced-members.js';
import { dialectOf } from '../../src/dialects/dialects.js';
import { createUsageReader, priceTable, readCall, readUsage, type Usage } from '../../src/index.js';
import { addressOf } from '../../src/request/call-address.js';
import { LimitedCalls } from '../meter/limited-call.js';

// The shapes are written by hand from https://ai.google.dev/api/generate-content and https://ai.google.dev/api/embeddings.

const BODY = { contents: [{ role: 'user', parts: [{ text: 'Tell me about the harbour.' }] }] };
const options = { format: 'gemini-generate', model: 'gemini-3-pro', stream: false } as const;

describe('the address of a Gemini call', () => {
  it.each([
    ['/v1beta/models/gemini-3-pro:generateContent', 'gemini-generate', 'gemini-3-pro', false],
    ['/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse', 'gemini-generate', 'gemini-3-pro', true],
    ['/v1beta/models/gemini-3-pro%3AgenerateContent', 'gemini-generate', 'gemini-3-pro', false],
    ['/v1/projects/p/locations/l/publishers/google/models/G-3:generateContent', 'gemini-generate', 'G-3', false],
    ['/v1beta/models/embed-1:embedContent', 'gemini-embed', 'embed-1', false],
    ['/v1beta/models/embed-1:batchEmbedContents', 'gemini-embed', 'embed-1', false],
  ])('%s says what it is', (url, format, model, stream) => {
    expect(addressOf({ url })).toEqual({ format, model, stream });
  });

  it.each([
    '/v1beta/models/imagen-4:predict',
    '/v1beta/models/veo-3:predictLongRunning',
    '/v1beta/models/gemini-3-pro:batchGenerateContent',
    '/v1beta/models/live:bidiGenerateContent',
  ])('%s is refused, because nobody knows its price', (url) => {
    expect(() => addressOf({ url })).toThrow(expect.objectContaining({ code: 'SLUICE_LLM_CALL', field: 'url' }));
  });
});

describe('a Gemini call', () => {
  it('is read with its model and its kind of answer from the address', () => {
    expect(readCall(BODY, { ...options, stream: true })).toMatchObject({
      model: 'gemini-3-pro',
      stream: true,
      choices: 1,
    });
    expect(readCall(BODY, options).input).toBe(
      readCall({ model: 'm', messages: [{ role: 'user', content: 'Tell me about the harbour.' }] }).input,
    );
  });

  it.each([
    [{ maxOutputTokens: 70, candidateCount: 3 }, undefined, 210, 3],
    [undefined, { max_output_tokens: 70 }, 70, 1],
    [{ maxOutputTokens: 5 }, { max_output_tokens: 70, candidate_count: 2 }, 140, 2],
    [{}, undefined, undefined, 1],
  ])(
    'has its cap and its choices from %j and %j: all spellings that Google reads',
    (generationConfig, generation_config, outputCap, choices) => {
      const call = readCall({ ...BODY, generationConfig, generation_config }, options);
      expect([call.outputCap, call.choices]).toEqual([outputCap, choices]);
    },
  );

  it.each([
    [{ ...BODY, contents: 'Hi' }, 'contents'],
    [{ ...BODY, generationConfig: { maxOutputTokens: '70' } }, 'generationConfig.maxOutputTokens'],
    [{ ...BODY, generationConfig: { candidateCount: 0 } }, 'generationConfig.candidateCount'],
  ])('%j is none, by its field %s', (body, field) => {
    expect(() => readCall(body, options)).toThrow(expect.objectContaining({ field }));
  });

  it('has media in its prompt, whose bytes are no text, and files that nobody sees', () => {
    const withPart = (part: object) =>
      readCall({ contents: [{ role: 'user', parts: [{ text: 'Look' }, part] }] }, options);
    const data = 'A'.repeat(100_000);
    expect(withPart({ inlineData: { mimeType: 'image/png', data } }).input).toBeLessThan(1700);
    expect(withPart({ inline_data: { mime_type: 'audio/wav', data } }).input).toBeLessThan(200);
    expect(withPart({ inlineData: { mimeType: 'application/pdf', data } }).input).toBeGreaterThan(5000);
    expect(withPart({ fileData: { mimeType: 'video/mp4', fileUri: 'gs://films/a' } })).toMatchObject({ unseen: true });
    expect(withPart({ file_data: { file_uri: 'gs://films/a' } })).toMatchObject({ unseen: true });
    expect(readCall({ ...BODY, cachedContent: 'cachedContents/a' }, options)).toMatchObject({ unseen: true });
  });

  it('of embeddings has no output', () => {
    const call = readCall({ content: { parts: [{ text: 'Hello' }] } }, { ...options, format: 'gemini-embed' });
    expect(call).toMatchObject({ outputCap: 0, format: 'gemini-embed' });
    expect(() => readCall({}, { ...options, format: 'gemini-embed' })).toThrow(
      expect.objectContaining({ field: 'content' }),
    );
  });

  it.each([
    [{ tools: [{ googleSearch: {} }] }, 'tools[0].type'],
    [{ tools: [{ functionDeclarations: [] }, { google_maps: {} }] }, 'tools[1].type'],
    [{ generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, 'generationConfig'],
    [{ generation_config: { response_modalities: ['AUDIO'] } }, 'generation_config'],
  ])('with %j costs more than its tokens', (members, field) => {
    expect(() => checkPriced({ ...BODY, ...members })).toThrow(expect.objectContaining({ field }));
  });

  it('with several tools in one element needs a price for each of them', () => {
    const priced = { tiers: [], tools: ['googleSearch'], media: false, characters: false };
    const check = (tool: object) => checkPriced({ ...BODY, tools: [tool] }, priced);
    expect(() => check({ googleSearch: {} })).not.toThrow();
    expect(() => check({ googleSearch: {}, google_maps: {} })).toThrow(
      expect.objectContaining({ field: 'tools[0].type', received: 'googleMaps' }),
    );
    const { toolUses } = readCall({ ...BODY, tools: [{ googleSearch: {}, google_maps: {} }] }, options);
    expect(Object.keys(toolUses ?? {})).toEqual(['googleSearch', 'googleMaps']);
  });

  it('gets its cap beside what it states, because two spellings of an object may be read as one of them', () => {
    const capped = (body: object) => capChanges({ ...BODY, ...body }, dialectOf('gemini-generate'), 50);
    expect(capped({})).toEqual([{ path: ['generationConfig', 'maxOutputTokens'], value: 50 }]);
    expect(capped({ generation_config: { temperature: 1 } })).toEqual([
      { path: ['generation_config', 'maxOutputTokens'], value: 50 },
    ]);
  });

  it('has bytes of no kind if nobody can read it', () => {
    const inlineData = { mimeType: { toString: 1 }, data: 'A'.repeat(1000) };
    expect(readCall({ contents: [{ parts: [{ inlineData }] }] }, options).inputCeiling).toBeGreaterThan(3000);
  });

  it('may be answered with images unasked, and not if it wants text alone', () => {
    const wants = (...responseModalities: string[]) => ({ ...BODY, generationConfig: { responseModalities } });
    expect(readCall(BODY, options)).toMatchObject({ media: true });
    expect(readCall(wants('IMAGE'), options)).toMatchObject({ media: true });
    expect(readCall(wants('TEXT'), options)).not.toHaveProperty('media');
  });

  it.each([
    { tools: [{ functionDeclarations: [] }, { codeExecution: {} }] },
    { generationConfig: { responseModalities: ['TEXT'] } },
  ])('with %j costs its tokens', (members) => expect(() => checkPriced({ ...BODY, ...members })).not.toThrow());
});

const USAGE = {
  promptTokenCount: 125,
  cachedContentTokenCount: 100,
  toolUsePromptTokenCount: 10,
  candidatesTokenCount: 12,
  thoughtsTokenCount: 30,
  totalTokenCount: 177,
};
const READ = { input: 35, cacheRead: 100, cacheWrite: 0, output: 42, reasoning: 30, complete: true };
const candidate = (text: string, finishReason?: string) => ({
  content: { role: 'model', parts: [{ text }] },
  index: 0,
  ...(finishReason && { finishReason }),
});

describe('the usage of a Gemini answer', () => {
  it('has cached tokens in its prompt, and thoughts and the results of tools beside it', () => {
    expect(readUsage({ candidates: [candidate('Hi', 'STOP')], usageMetadata: USAGE })).toEqual(READ);
  });

  it('has the tokens of sound and images apart, without those that were cached', () => {
    const usageMetadata = {
      ...USAGE,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 60 },
        { modality: 'AUDIO', tokenCount: 65 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 50 }],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 12 }],
    };
    const usage = readUsage({ candidates: [candidate('Hi', 'STOP')], usageMetadata }) as Usage;
    expect(usage).toEqual({ ...READ, audioInput: 15, imageOutput: 12 });
    const prices = priceTable({ m: { input: '1', output: '10', audioInput: '3', imageOutput: '60' } });
    expect(prices.cost('m', usage)).toBe(20 + 15 * 3 + 100 + 30 * 10 + 12 * 60);
  });

  it.each([
    [
      'a blocked prompt',
      { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 } },
      9,
      0,
    ],
    [
      'thoughts that used all of the cap',
      {
        candidates: [{ finishReason: 'MAX_TOKENS' }],
        usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 50, totalTokenCount: 59 },
      },
      9,
      50,
    ],
  ])('is final for %s', (_what, answer, input, output) => {
    expect(readUsage(answer)).toMatchObject({ input, output, complete: true });
  });

  it('of embeddings is final without a candidate', () => {
    expect(readUsage({ usageMetadata: { promptTokenCount: 9 } }, 'gemini-embed')).toMatchObject({
      input: 9,
      complete: true,
    });
  });

  it.each([
    [{ ...USAGE, totalTokenCount: 10_000 }, 'usage.totalTokenCount'],
    [{ ...USAGE, cachedContentTokenCount: 126 }, 'usage.promptTokenCount'],
    [{ ...USAGE, candidatesTokenCount: 1e10 }, 'usage.candidatesTokenCount'],
  ])('%j makes no sense', (usageMetadata, field) => {
    const reader = createUsageReader('gemini-generate');
    reader.read({ candidates: [candidate('Hi', 'STOP')], usageMetadata });
    expect(reader.invalid).toMatchObject({ field });
  });
});

describe('a stream of Gemini', () => {
  const so = (output: number) => ({
    promptTokenCount: 9,
    ...(output > 0 && { candidatesTokenCount: output }),
    totalTokenCount: 9 + output,
  });
  const EVENTS = [
    { candidates: [candidate('Hello')], usageMetadata: so(1) },
    { candidates: [candidate(' to "you]}')], usageMetadata: so(4) },
    { candidates: [candidate('.', 'STOP')], usageMetadata: so(6) },
  ];
  const sse = EVENTS.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('');
  const list = `[${EVENTS.map((event) => JSON.stringify(event, null, 2)).join('\n,\r\n')}\n]`;

  async function metered(text: string, size: number) {
    const calls = new LimitedCalls();
    const meter = calls.begin(readCall(BODY, { ...options, stream: true }));
    const bytes = Buffer.from(text);
    for (let i = 0; i < bytes.length; i += size) meter.push(bytes.subarray(i, i + size));
    await meter.end('complete');
    return calls.ends;
  }

  it.each([1, 7, 10_000])('is read as events and as a JSON array, in pieces of %i bytes', async (size) => {
    for (const text of [sse, list]) {
      expect(await metered(text, size)).toEqual([
        { end: 'complete', usage: { input: 9, cacheRead: 0, cacheWrite: 0, output: 6, reasoning: 0, complete: true } },
      ]);
    }
  });

  it('that breaks off is charged for what it has stated or sent so far', async () => {
    for (const text of [sse, list]) {
      const [{ end, usage } = { end: undefined, usage: undefined }] = await metered(
        text.slice(0, text.indexOf('STOP')),
        50,
      );
      expect([end, usage?.complete, usage?.input]).toEqual(['broken', false, 9]);
      expect(usage?.output).toBeGreaterThanOrEqual(4);
    }
  });
});

it('prices a Gemini model like any other', () => {
  const prices = priceTable({ 'gemini-3-pro': { input: '1', output: '10', cacheRead: '0.1' } });
  expect(prices.cost('gemini-3-pro', READ)).toBe(35 + 10 + 420);
});
