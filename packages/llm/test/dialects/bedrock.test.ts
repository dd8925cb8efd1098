import { describe, expect, it } from '@jest/globals';
import { capChanges } from '../../src/call/caps.js';
import { checkMediaSize, checkPriced } from '../../src/call/priced-members.js';
import { dialectOf } from '../../src/dialects/dialects.js';
import { createUsageReader, readCall, readUsage } from '../../src/index.js';
import { addressOf } from '../../src/request/call-address.js';
import { frame } from '../../src/testing/dialects/frame.js';
import { LimitedCalls } from '../meter/limited-call.js';

// The shapes are written by hand from https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and
// API_runtime_InvokeModelWithResponseStream.html.

const MODEL = 'anthropic.claude-opus-5-v1:0';
const BODY = { messages: [{ role: 'user', content: [{ text: 'Tell me about the harbour.' }] }] };
const options = { format: 'bedrock-converse', model: MODEL, stream: false } as const;

describe('the address of a Bedrock call', () => {
  const path = encodeURIComponent(MODEL);
  it.each([
    [`/model/${path}/converse`, 'bedrock-converse', false],
    [`/model/${path}/converse-stream`, 'bedrock-converse', true],
    [`/model/${MODEL}/converse`, 'bedrock-converse', false],
    [`/model/${path}/invoke`, 'bedrock-invoke', false],
    [`/bedrock/model/${path}/invoke-with-response-stream`, 'bedrock-invoke', true],
  ])('%s says what it is', (url, format, stream) => {
    expect(addressOf({ url })).toEqual({ format, model: MODEL, stream });
  });

  it('may have the name of a profile in it', () => {
    const arn = 'arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova';
    expect(addressOf({ url: `/model/${encodeURIComponent(arn)}/converse` })).toMatchObject({ model: arn });
  });

  it.each(['/async-invoke', '/model/nova-sonic/invoke-with-bidirectional-stream'])(
    '%s is refused, because nobody knows its price',
    (url) => expect(() => addressOf({ url })).toThrow(expect.objectContaining({ field: 'url' })),
  );
});

describe('a call of Converse', () => {
  it('has its prompt, its cap and nothing else from its body', () => {
    const call = readCall({ ...BODY, inferenceConfig: { maxTokens: 70, temperature: 1 } }, options);
    expect(call).toMatchObject({ model: MODEL, format: 'bedrock-converse', outputCap: 70, choices: 1, stream: false });
    expect(call.input).toBe(readCall(BODY, options).input);
    expect(readCall(BODY, options).outputCap).toBeUndefined();
  });

  it('has the largest of its caps, because models may read a field of their own', () => {
    const body = { ...BODY, inferenceConfig: { maxTokens: 1 }, additionalModelRequestFields: { max_tokens: 500 } };
    expect(readCall(body, options).outputCap).toBe(500);
  });

  it('has media in its prompt, whose bytes are no text', () => {
    const withPart = (part: object) =>
      readCall({ messages: [{ role: 'user', content: [{ text: 'Look' }, part] }] }, options);
    const bytes = 'A'.repeat(100_000);
    expect(withPart({ image: { format: 'png', source: { bytes } } }).input).toBeLessThan(1700);
    expect(withPart({ document: { format: 'pdf', name: 'a', source: { bytes } } }).input).toBeGreaterThan(5000);
    expect(
      withPart({ document: { format: 'pdf', name: 'a', source: { s3Location: { uri: 's3://a/b' } } } }),
    ).toMatchObject({ unseen: true });
    expect(
      withPart({ document: { format: 'txt', name: 'a', source: { text: 'word '.repeat(500) } } }).input,
    ).toBeGreaterThan(400);
    expect(readCall({ ...BODY, promptVariables: { a: { text: 'b' } } }, options)).toMatchObject({ unseen: true });
  });

  it('counts its tools', () => {
    const toolConfig = { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }] };
    expect(readCall({ ...BODY, toolConfig }, options).input).toBeGreaterThan(readCall(BODY, options).input + 100);
  });

  it.each([
    [{ toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } }, 'toolConfig'],
    [{ guardrailConfig: { guardrailIdentifier: 'a' } }, 'guardrailConfig'],
    [{ performanceConfig: { latency: 'optimized' } }, 'performanceConfig'],
    [{ serviceTier: { type: 'priority' } }, 'serviceTier'],
  ])('with %j costs more than its tokens', (members, field) => {
    expect(() => checkPriced({ ...BODY, ...members })).toThrow(expect.objectContaining({ field }));
  });
});

describe('a call of InvokeModel', () => {
  const invoke = { ...options, format: 'bedrock-invoke' } as const;

  it('is read like a message of Anthropic', () => {
    const body = {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
    };
    expect(readCall(body, { ...invoke, stream: true })).toMatchObject({ model: MODEL, outputCap: 9, stream: true });
  });

  it.each<[model: string, body: object, cap: number | undefined]>([
    ['meta.llama3-8b', { prompt: 'Hello to you', max_gen_len: 9 }, 9],
    ['mistral.mistral-large', { prompt: 'Hello to you', max_tokens: 9 }, 9],
    ['amazon.titan-text', { inputText: 'Hello to you', textGenerationConfig: { maxTokenCount: 9 } }, 9],
    [
      'amazon.nova-lite',
      { messages: [{ role: 'user', content: [{ text: 'Hello to you' }] }], inferenceConfig: { maxTokens: 9 } },
      9,
    ],
    ['cohere.command-r', { message: 'Hello to you', max_tokens: 9, num_generations: 2 }, 18],
    ['ai21.jamba', { messages: [{ role: 'user', content: 'Hello to you' }], max_tokens: 9 }, 9],
    ['unheard.of', { anything: 'Hello to you', max_tokens: 9 }, undefined],
  ])('of %s is read as a prompt with a cap', (model, body, outputCap) => {
    const call = readCall(body, { ...invoke, model });
    expect([call.format, call.outputCap]).toEqual(['bedrock-native', outputCap]);
    expect(call.input).toBeGreaterThanOrEqual(6);
    expect(call.inputCeiling).toBeGreaterThanOrEqual('Hello to you'.length);
  });

  it.each<[model: string, own: object, outputCap: number | undefined]>([
    ['us.meta.llama4-scout-17b-instruct-v1:0', { max_gen_len: 500 }, 500],
    ['amazon.titan-text-premier-v1:0', { textGenerationConfig: { maxTokenCount: 500 } }, 500],
    ['eu.amazon.nova-pro-v1:0', { inferenceConfig: { max_new_tokens: 500 } }, 500],
    ['mistral.mistral-large-2407-v1:0', { max_tokens: 500 }, 500],
    ['openai.gpt-oss-120b-1:0', { max_completion_tokens: 500 }, 500],
    // Of a profile nobody knows here which model it has.
    ['arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc', { max_gen_len: 500 }, undefined],
  ])('of %s has the cap that its model reads, and no other one', (model, own, outputCap) => {
    const [decoy] = ['max_tokens_to_sample', 'max_gen_len'].filter((name) => !(name in own));
    const call = (body: object) => readCall({ prompt: 'Hi', [decoy as string]: 1, ...body }, { ...invoke, model });
    expect(call(own).outputCap).toBe(outputCap);
    expect(call({}).outputCap).toBeUndefined();
  });

  it('states its usage in header fields as numbers', async () => {
    const calls = new LimitedCalls();
    const headers = { 'x-amzn-bedrock-input-token-count': '25', 'x-amzn-bedrock-output-token-count': '' };
    const metered = calls.begin(readCall({ prompt: 'Hi' }, invoke)).response(new Response('{}', { headers }));
    await metered.text();
    expect(calls.ends[0]).toMatchObject({ usage: { complete: false } });
  });

  it.each([{ taskType: 'TEXT_IMAGE' }, { text_prompts: [{ text: 'A harbour' }] }])(
    'for images is refused: %j',
    (body) => {
      const [field] = Object.keys(body);
      expect(() => readCall(body, invoke)).toThrow(expect.objectContaining({ field }));
    },
  );

  it('gets no cap that its model may not know, so the price has to have one', () => {
    const body = { prompt: 'Hi' };
    const [call, dialect] = [readCall(body, invoke), dialectOf('bedrock-native')];
    expect(capChanges(body, dialect, 100)).toEqual([]);
    expect(capChanges({ ...body, max_gen_len: 500 }, dialect, 100)).toEqual([{ path: ['max_gen_len'], value: 100 }]);
    expect(() => checkMediaSize(call, undefined, dialect)).toThrow(expect.objectContaining({ field: 'model' }));
  });

  it('states its usage and its tier in header fields', async () => {
    const calls = new LimitedCalls();
    const counts = { 'x-amzn-bedrock-input-token-count': '25', 'x-amzn-bedrock-output-token-count': '12' };
    const headers = { ...counts, 'x-amzn-bedrock-service-tier': 'flex' };
    const answer = new Response('{"generation":"Hello","prompt_token_count":25}', { headers });
    const metered = calls.begin(readCall({ prompt: 'Hi' }, invoke)).response(answer);
    expect(await metered.json()).toMatchObject({ generation: 'Hello' });
    expect(calls.ends[0]).toMatchObject({
      end: 'complete',
      usage: { input: 25, output: 12, tier: 'flex', complete: true },
    });
  });

  it('with a number that makes no sense is charged as held', async () => {
    const calls = new LimitedCalls();
    const headers = { 'x-amzn-bedrock-input-token-count': 'many', 'x-amzn-bedrock-output-token-count': '12' };
    await calls
      .begin(readCall({ prompt: 'Hi' }, invoke))
      .response(new Response('{}', { headers }))
      .text();
    expect(calls.ends[0]).toMatchObject({ end: 'abandoned', usage: { complete: false } });
  });
});

describe('the usage of Converse', () => {
  const usage = {
    inputTokens: 25,
    outputTokens: 12,
    totalTokens: 137,
    cacheReadInputTokens: 100,
    cacheWriteInputTokens: 7,
  };

  it.each(['bedrock-converse', undefined] as const)('has cached tokens beside its input, known as %s', (format) => {
    expect(readUsage({ output: {}, stopReason: 'end_turn', usage }, format)).toMatchObject({
      input: 25,
      cacheRead: 100,
      cacheWrite: 7,
      output: 12,
      complete: true,
    });
  });

  it('has the tier beside it that has served the call, in an answer and in a stream', async () => {
    const serviceTier = { type: 'priority' };
    const calls = new LimitedCalls();
    const meter = calls.begin(readCall(BODY, options));
    await meter.response(Response.json({ output: {}, stopReason: 'end_turn', usage, serviceTier })).text();
    expect(calls.ends).toMatchObject([{ usage: { input: 25, tier: 'priority' } }]);
    const reader = createUsageReader('bedrock-converse');
    reader.read({ metadata: { usage, serviceTier } });
    expect(reader.usage).toMatchObject({ input: 25, tier: 'priority' });
  });

  it('is final without a cache', () => {
    const stated = { usage: { inputTokens: 25, outputTokens: 12, totalTokens: 37 }, stopReason: 'end_turn' };
    expect(readUsage(stated, 'bedrock-converse')).toMatchObject({ input: 25, output: 12, complete: true });
  });

  it('makes no sense if a number is impossible', () => {
    const reader = createUsageReader('bedrock-converse');
    reader.read({ metadata: { usage: { inputTokens: 25, outputTokens: -1 } } });
    expect(reader.invalid).toMatchObject({ field: 'usage.outputTokens' });
  });
});

describe('an event stream of Amazon', () => {
  const event = (type: string, payload: unknown) =>
    frame({ ':message-type': 'event', ':event-type': type, ':content-type': 'application/json' }, payload);
  const CONVERSE = [
    event('messageStart', { role: 'assistant' }),
    event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello' } }),
    event('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm' } } }),
    event('messageStop', { stopReason: 'end_turn' }),
    event('metadata', { usage: { inputTokens: 9, outputTokens: 6, totalTokens: 15 }, metrics: { latencyMs: 5 } }),
  ];
  const chunk = (data: unknown) =>
    event('chunk', { bytes: Buffer.from(JSON.stringify(data)).toString('base64'), p: 'abc' });
  const INVOKE = [
    chunk({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } }),
    chunk({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
    chunk({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 6 } }),
    chunk({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 9, outputTokenCount: 6 } }),
  ];

  async function metered(format: 'bedrock-converse' | 'bedrock-invoke', bytes: Buffer, size = 1_000_000) {
    const calls = new LimitedCalls();
    const body = { ...BODY, anthropic_version: 'bedrock-2023-05-31' };
    const meter = calls.begin(readCall(body, { format, model: MODEL, stream: true }));
    for (let i = 0; i < bytes.length; i += size) meter.push(bytes.subarray(i, i + size));
    await meter.end('complete');
    return { ...calls.ends[0], error: calls.errors[0] };
  }

  const FULL = {
    end: 'complete',
    usage: { input: 9, cacheRead: 0, cacheWrite: 0, output: 6, reasoning: 0, complete: true },
  };

  it.each([1, 5, 64, 100_000])('is read in pieces of %i bytes', async (size) => {
    expect(await metered('bedrock-converse', Buffer.concat(CONVERSE), size)).toMatchObject(FULL);
    expect(await metered('bedrock-invoke', Buffer.concat(INVOKE), size)).toMatchObject(FULL);
  });

  it('that breaks off is charged for what it has sent', async () => {
    const { end, usage } = await metered('bedrock-converse', Buffer.concat(CONVERSE.slice(0, 3)));
    expect([end, usage?.complete]).toEqual(['broken', false]);
    expect(usage?.output).toBeGreaterThanOrEqual(2);
  });

  it('is read no further than a message whose checksum is wrong', async () => {
    const bytes = Buffer.concat(CONVERSE);
    for (const at of [2, 9, 40, bytes.length - 1]) {
      const wrong = Buffer.from(bytes);
      wrong[at] = (wrong[at] as number) ^ 1;
      expect((await metered('bedrock-converse', wrong)).end).toBe('broken');
    }
  });

  it('says by an exception that it cannot go on', async () => {
    const exception = frame(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      { message: 'Too many tokens' },
    );
    const { end, error } = await metered('bedrock-converse', Buffer.concat([CONVERSE[0] as Buffer, exception]));
    expect([end, error]).toEqual(['broken', { message: 'Too many tokens', type: 'throttlingException' }]);
  });
});

it('has the checksums of Amazon', () => {
  // The empty message of the tests of awslabs/aws-c-event-stream.
  const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex');
  expect(frame({}, undefined).equals(empty)).toBe(true);
});
