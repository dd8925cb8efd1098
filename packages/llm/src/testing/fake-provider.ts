import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Limit } from '@sluice/core';
import { checkOptions, clockOf } from '@sluice/core/values';
import { parsedObject } from '../json-object.js';
import type { Dialect } from './dialects/dialect.js';
import { errorBody } from './dialects/dialect.js';
import { dialectAt } from './dialects/dialects.js';
import { answersOf, checkAnswer, type FakeAnswer, type FakeAnswers, fullAnswerOf } from './fake-answer.js';
import { FakeBatches } from './fake-batches.js';
import { askedLikeOpenAi, type FakeCall, RecordedCall } from './fake-call.js';
import { bodyOf, FakeExchange } from './fake-exchange.js';
import { ProviderLimits } from './provider-limits.js';

/** The options of `createFakeProvider`. */
export interface FakeProviderOptions {
  /** How calls are answered, if `next` has nothing for them. Default: five short pieces of text. */
  readonly answer?: FakeAnswers;
  /**
   * Requests a minute for each API key. A number is a bucket that refills continuously, as Anthropic documents it. A
   * `Limit` is taken as it is. Default: no limit.
   */
  readonly rpm?: number | Limit;
  /** Tokens a minute for each API key: prompt and answer together. Default: no limit. */
  readonly tpm?: number | Limit;
  /** The clock of the limits, of pauses and of timestamps. Default: the system's. */
  readonly clock?: Clock;
}

/** A running fake provider. */
export interface FakeProvider {
  /** The origin: `http://127.0.0.1:40123`. Clients of OpenAI need `${url}/v1` as their `baseURL`, Anthropic's need `url`. */
  readonly url: string;
  /** The calls that it got, in order. Refused ones are here, too. */
  readonly calls: readonly FakeCall[];
  /**
   * Answers the next calls, one after another, before `answer` is asked.
   *
   * @throws SluiceError `SLUICE_OPTION`
   */
  next(...answers: readonly FakeAnswer[]): void;
  /** Ends all batches that are under way, as the real ones do within a day: answers their calls, and has their results. */
  endBatches(): void;
  /** Closes all connections and the port. */
  close(): Promise<void>;
}

/**
 * Starts a server on the loopback interface that answers like OpenAI (chat completions, responses, completions,
 * embeddings, images, speech as events, files and batches), Anthropic (messages, batches), Gemini (`generateContent`) and Bedrock (Converse, InvokeModel), as JSON and as streams. Use it in tests and examples: no key is checked, and
 * nothing is paid. It can break off, stall and refuse as the real ones do, and it enforces its limits.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const provider = await createFakeProvider({ rpm: 60 });
 * provider.next({ refuse: { status: 429, retryAfterMs: 700 } }, { dropAfter: 2 });
 * const openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'any' });
 */
export async function createFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  checkOptions(options, ['answer', 'rpm', 'tpm', 'clock']);
  const clock = clockOf(options.clock);
  const answerTo = answersOf(options.answer ?? {});
  const limits = new ProviderLimits({ rpm: options.rpm, tpm: options.tpm, clock });
  const calls: RecordedCall[] = [];
  const planned: FakeAnswer[] = [];

  const answerOf = (call: RecordedCall, dialect: Dialect) => {
    const number = calls.push(call);
    const answer = planned.shift() ?? answerTo(call);
    const wanted = fullAnswerOf(answer, call, number);
    const full = dialect.hasInputOnly ? { ...wanted, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 } : wanted;
    return { number, answer, full };
  };
  const batches = new FakeBatches({ nowMs: () => clock.now(), answer: answerOf });

  const take = async (call: RecordedCall, dialect: Dialect, response: ServerResponse): Promise<void> => {
    const exchange = new FakeExchange(call, dialect, response, clock);
    const { number, answer, full } = answerOf(call, dialect);
    const tokens = full.input + full.cacheRead + full.cacheWrite + full.output;
    const { headers, refusal } = limits.admit({ key: keyOf(call), tokens }, dialect.vendor);
    const fields = { [dialect.vendor === 'openai' ? 'x-request-id' : 'request-id']: `fake-${number}`, ...headers };
    const refused = refusal ?? answer.refuse;
    if (refused) exchange.refuse(refused, { ...fields, ...answer.headers });
    else {
      call.made = full;
      call.makes = dialect.makes;
      call.hears = dialect.hears;
      await exchange.answer(answer, full, fields);
    }
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const dialect = dialectAt(path);
    const text = await bodyOf(request).catch(() => undefined);
    if (text === undefined || (await batches.take(request, path, text, response))) return;
    if (!dialect || request.method !== 'POST') return sendError(response, 'openai', 404, 'No such endpoint');
    const body = objectOf(text) ?? (await formOf(text, request.headers['content-type']));
    if (!body) return sendError(response, dialect.vendor, 400, 'The body is no JSON object');
    const { format } = dialect;
    const { stream, model, cap, choices } = dialect.asked?.(path, body) ?? askedLikeOpenAi(body);
    const given = { path, query, format, stream, headers: request.headers, text, body, atMs: clock.now() };
    const call = new RecordedCall(given, { model, cap, choices });
    await take(call, dialect, response).catch((error: unknown) => {
      sendError(response, dialect.vendor, 500, String(error));
    });
  };
  const server = createServer((request, response) => {
    // A batch that is no JSON, or an address that is none.
    respond(request, response).catch((error: unknown) => sendError(response, 'openai', 400, String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    next(...answers) {
      answers.forEach((answer, i) => {
        checkAnswer(answer, `answers[${i}]`);
      });
      planned.push(...answers);
    },
    endBatches: () => batches.end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          limits.close();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** The vendors limit each key. */
function keyOf({ headers }: FakeCall): string {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization;
  return typeof key === 'string' && key !== '' ? key : 'no key';
}

/** Returns the fields of a form, as a JSON body would have them. */
async function formOf(text: string, type = ''): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (!type.startsWith('multipart/form-data')) return undefined;
  const form = await new Response(text, { headers: { 'content-type': type } }).formData().catch(() => undefined);
  if (!form) return undefined;
  const fields = [...form].map(([name, value]): [string, unknown] => [name, typeof value === 'string' ? value : {}]);
  const { n, stream, ...body } = Object.fromEntries(fields);
  return { ...body, ...(n !== undefined && { n: Number(n) }), stream: stream === 'true' };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedObject(text);
  return Array.isArray(value) ? undefined : value;
}

function sendError(response: ServerResponse, vendor: Dialect['vendor'], status: number, message: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(errorBody(vendor, { status, message })));
}
