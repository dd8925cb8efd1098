import { createLimiter } from '@sluice/core';
import { createLlm } from '@sluice/llm';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function eventOf(choices: readonly unknown[], usage: unknown): Uint8Array {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_767_225_600, model: 'gpt-5.6' };
  return bytesOf(`data: ${JSON.stringify({ ...head, service_tier: 'default', choices, usage })}\n\n`);
}

const PIECE = eventOf([{ index: 0, delta: { content: ' token' }, logprobs: null, finish_reason: null }], null);
const USAGE = eventOf([], { prompt_tokens: 12, completion_tokens: 5 });
const DONE = bytesOf('data: [DONE]\n\n');

/** Bytes of a chunk, as OpenAI sends one for each token. */
export const CHUNK_BYTES = PIECE.length;

/** The answer of a provider: so many chunks with a token each, and the usage, as `fetch` gives it. */
function answer(chunks: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        sent += 1;
        if (sent <= chunks) controller.enqueue(PIECE);
        else if (sent === chunks + 1) controller.enqueue(USAGE);
        else {
          controller.enqueue(DONE);
          controller.close();
        }
      },
    },
    { highWaterMark: 0 },
  );
}

/** Passes an answer on, and does nothing else. */
async function passed(chunks: number): Promise<ReadableStream<Uint8Array>> {
  const reader = answer(chunks).getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

const BODY = { model: 'gpt-5.6', stream: true, messages: [{ role: 'user', content: 'Hello' }] };
const llm = createLlm<[Request]>({ call: () => BODY, plan: { rpm: 1_000_000, tpm: 1_000_000_000 } });
const limiter = createLimiter<Request>({ limits: llm.policy.limits, keyGenerator: () => 'ann' });

/** Passes an answer on, reads its usage, takes the chunk with the usage out, and settles the call. */
async function relayed(chunks: number): Promise<ReadableStream<Uint8Array>> {
  const request = new Request('http://gateway.example/v1/chat/completions', { method: 'POST' });
  const { extraHeaders } = llm.policy;
  const reservation = await limiter.reserve(request);
  // An adapter asks for the fields of each answer, and so notes the reservation of the request.
  if (typeof extraHeaders === 'function') await extraHeaders(request, reservation);
  const headers = { 'content-type': 'text/event-stream' };
  const response = await llm.relay(request, async () => new Response(answer(chunks), { headers }));
  return response.body as ReadableStream<Uint8Array>;
}

/** Ways to pass an answer on. */
export const RELAYS: ReadonlyMap<string, (chunks: number) => Promise<ReadableStream<Uint8Array>>> = new Map([
  ['bare relay', passed],
  ['Sluice', relayed],
]);
