// Calls a gateway over a fake provider by official packages of providers: npm run proof -- sdks. They weigh too much for the tests, which
// have those of OpenAI and Anthropic. Each call has to be read as it was meant, and to be charged what the provider bills for it.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { rateLimit } from '@sluice/express';
import { createLlm, priceTable, usd } from '@sluice/llm';
import { createFakeProvider } from '@sluice/llm/testing';
import express from 'express';
import { ensureInstalled } from '../installed.mjs';

const MODEL = 'mistral.large';
/** Of the fake provider, whose answer has five pieces. */
const ANSWER = { chunks: ['To ', 'the ', 'harbour', ', ', 'please'], input: 12, output: 5 };
const TEXT = ANSWER.chunks.join('');
const PRICES = priceTable({ [MODEL]: { input: '1', output: '10', maxOutput: 100 } });

/** Asks the fake provider, which speaks as OpenAI, as if it was one that states the usage of a stream unasked, and no empty one. */
async function askUnasked(url, init) {
  const body = JSON.parse(init.body);
  const asked = body.stream ? { ...body, stream_options: { include_usage: true } } : body;
  const answer = await fetch(url, { ...init, body: JSON.stringify(asked) });
  return new Response((await answer.text()).replaceAll(/,"usage":null/g, ''), answer);
}

/** The same for OpenRouter, whose whole answers have one member more. */
async function askOpenRouter(url, init) {
  const answer = await askUnasked(url, init);
  const text = (await answer.text()).replace(
    '"object":"chat.completion"',
    '"system_fingerprint":null,"object":"chat.completion"',
  );
  return new Response(text, answer);
}

/** Starts a gateway that passes on every call. */
async function startGateway(provider, { speaks, ask = fetch }) {
  const options = { plan: { perDay: usd('1') }, prices: PRICES, ...(speaks && { provider: speaks }) };
  const llm = createLlm({ call: (req) => req.body, ...options });
  const limits = rateLimit({ name: 'llm', keyGenerator: () => 'ann', ...llm.policy });
  const app = express();
  app.post('/{*path}', express.json(), limits, (req, res) =>
    llm.relay({ req, res }, (body, signal) => {
      const headers = { 'content-type': 'application/json' };
      return ask(provider.url + req.originalUrl, { method: 'POST', headers, body, signal });
    }),
  );
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spentMicroUsd = async () => (await llm.spend('ann')).budgets[0]?.spent;
  return { url: `http://127.0.0.1:${server.address().port}`, server, spentMicroUsd };
}

/** Each package, as an application uses it: how it makes a whole call, a streamed one, and one that is no call. */
const SDKS = [
  {
    name: '@google/genai',
    async open(url) {
      const { GoogleGenAI } = await import('@google/genai');
      const { models } = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url } });
      const asked = { model: MODEL, contents: 'Where to?' };
      return {
        whole: async () => (await models.generateContent(asked)).text,
        async streamed() {
          let text = '';
          for await (const piece of await models.generateContentStream(asked)) text += piece.text ?? '';
          return text;
        },
        invalid: () => models.generateContent({ ...asked, config: { maxOutputTokens: -1 } }),
        statusOf: ({ status }) => status,
      };
    },
  },
  {
    name: '@aws-sdk/client-bedrock-runtime',
    async open(url) {
      const aws = await import('@aws-sdk/client-bedrock-runtime');
      const { NodeHttpHandler } = await import('@smithy/node-http-handler');
      const client = new aws.BedrockRuntimeClient({
        endpoint: url,
        region: 'eu-central-1',
        credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
        maxAttempts: 1,
        requestHandler: new NodeHttpHandler(),
      });
      const asked = { modelId: MODEL, messages: [{ role: 'user', content: [{ text: 'Where to?' }] }] };
      return {
        whole: async () => (await client.send(new aws.ConverseCommand(asked))).output.message.content[0].text,
        async streamed() {
          let text = '';
          const { stream } = await client.send(new aws.ConverseStreamCommand(asked));
          for await (const { contentBlockDelta } of stream) text += contentBlockDelta?.delta.text ?? '';
          return text;
        },
        invalid: () => client.send(new aws.ConverseCommand({ ...asked, inferenceConfig: { maxTokens: -1 } })),
        statusOf: ({ $metadata }) => $metadata.httpStatusCode,
      };
    },
  },
  {
    name: '@mistralai/mistralai',
    speaks: 'mistral',
    ask: askUnasked,
    async open(url) {
      const { Mistral } = await import('@mistralai/mistralai');
      const { chat } = new Mistral({ apiKey: 'any', serverURL: url, retryConfig: { strategy: 'none' } });
      const asked = { model: MODEL, messages: [{ role: 'user', content: 'Where to?' }] };
      return {
        whole: async () => (await chat.complete(asked)).choices[0].message.content,
        async streamed() {
          let text = '';
          for await (const { data } of await chat.stream(asked)) text += data.choices[0]?.delta.content ?? '';
          return text;
        },
        invalid: () => chat.complete({ ...asked, maxTokens: -1 }),
        statusOf: ({ statusCode }) => statusCode,
      };
    },
  },
  {
    name: '@openrouter/sdk',
    speaks: 'openrouter',
    ask: askOpenRouter,
    async open(url) {
      const { OpenRouter } = await import('@openrouter/sdk');
      const { chat } = new OpenRouter({ apiKey: 'any', serverURL: `${url}/v1`, retryConfig: { strategy: 'none' } });
      const asked = { model: MODEL, messages: [{ role: 'user', content: 'Where to?' }] };
      const send = (members) => chat.send({ chatRequest: { ...asked, ...members } });
      return {
        whole: async () => (await send()).choices[0].message.content,
        async streamed() {
          let text = '';
          for await (const { choices } of await send({ stream: true })) text += choices[0]?.delta.content ?? '';
          return text;
        },
        invalid: () => send({ maxTokens: -1 }),
        statusOf: ({ statusCode }) => statusCode,
      };
    },
  },
];

/** Returns the status that a package tells its caller; undefined if the call has passed. */
async function refusalOf(call, statusOf) {
  try {
    await call();
    return undefined;
  } catch (error) {
    return statusOf(error);
  }
}

/** Asks all questions by one package. Returns the answers that are wrong. */
async function examine({ open, ...spoken }) {
  const provider = await createFakeProvider({ answer: ANSWER });
  const gateway = await startGateway(provider, spoken);
  const wrong = [];
  let passed = 0;
  const expectSame = (what, got, expected) => {
    if (got === expected) passed += 1;
    else wrong.push(`${what}: ${JSON.stringify(got)} in place of ${JSON.stringify(expected)}`);
  };
  try {
    const sdk = await open(gateway.url);
    expectSame('a whole answer', await sdk.whole(), TEXT);
    expectSame('a streamed answer', await sdk.streamed(), TEXT);
    provider.next({ refuse: { status: 429 } });
    expectSame('a refusal of the provider', await refusalOf(sdk.whole, sdk.statusOf), 429);
    expectSame('no call', await refusalOf(sdk.invalid, sdk.statusOf), 400);
    const billed = provider.calls.reduce((sum, { billed }) => sum + PRICES.cost(MODEL, billed), 0);
    expectSame('what was billed', billed > 0, true);
    expectSame('what was charged', await gateway.spentMicroUsd(), billed);
  } finally {
    gateway.server.close();
    gateway.server.closeAllConnections();
    await provider.close();
  }
  return { passed, wrong };
}

ensureInstalled(fileURLToPath(new URL('.', import.meta.url)));
for (const sdk of SDKS) {
  const { passed, wrong } = await examine(sdk);
  console.log(`sdks: ${sdk.name}: ${passed} passed, ${wrong.length} failed`);
  for (const text of wrong) console.error(`  ${text}`);
  if (wrong.length > 0) process.exitCode = 1;
}
