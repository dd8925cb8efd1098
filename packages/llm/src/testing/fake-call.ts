import type { IncomingHttpHeaders } from 'node:http';
import type { Format } from '../dialects/format.js';
import type { PricedTokens } from '../money/cost.js';
import type { FullAnswer } from './fake-answer.js';

/**
 * How the exchange of a call ended.
 *
 * - `'finished'`: the provider sent all that it had to send
 * - `'left'`: the caller closed the connection before that
 * - `'dropped'`: the provider broke the connection, as its answer said
 */
export type FakeEnd = 'finished' | 'left' | 'dropped';

/** A request as the fake provider got it. */
export interface FakeCall {
  /** The path: `/v1/chat/completions`. */
  readonly path: string;
  /** The parameters of the address: `alt=sse`. */
  readonly query: URLSearchParams;
  readonly format: Format;
  /** The names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body, to the byte. */
  readonly text: string;
  /** The body as JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the caller wants a stream. */
  readonly stream: boolean;
  /** When it arrived, on the clock of the provider. */
  readonly atMs: number;
  /** The status of the answer; undefined before there is one. */
  readonly status: number | undefined;
  /** Pieces of text that were sent so far. */
  readonly sent: number;
  /** How it ended; undefined before it did. */
  readonly end: FakeEnd | undefined;
  /** Resolves when it has ended. */
  readonly ended: Promise<FakeEnd>;
  /**
   * The tokens that the provider charges for so far: nothing for a refusal; of a stream, the prompt and as much of the output as was sent;
   * of any other answer everything, also if nobody got it, because it was made.
   */
  readonly billed: PricedTokens;
}

/** What an answer depends on, where the dialect has it. */
interface AskedFor {
  readonly model: unknown;
  readonly cap: unknown;
  readonly choices: unknown;
}

/** What a call asks for whose body has the members of OpenAI or Anthropic. The largest cap counts. */
export function askedLikeOpenAi(body: FakeCall['body']): AskedFor & { readonly stream: boolean } {
  const { model, max_tokens, max_completion_tokens, max_output_tokens, n: choices } = body;
  const caps = [max_tokens, max_completion_tokens, max_output_tokens].filter((cap) => typeof cap === 'number');
  return { model, stream: body.stream === true, cap: caps.length === 0 ? undefined : Math.max(...caps), choices };
}

/** A call whose progress the provider writes down. */
export class RecordedCall implements FakeCall {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly format: Format;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  readonly atMs: number;
  readonly ended: Promise<FakeEnd>;
  /** What the answer depends on. */
  readonly asked: AskedFor;
  status: number | undefined;
  sent = 0;
  end: FakeEnd | undefined;
  readonly #resolve: (end: FakeEnd) => void;

  constructor(
    given: Pick<FakeCall, 'path' | 'query' | 'format' | 'stream' | 'headers' | 'text' | 'body' | 'atMs'>,
    asked: AskedFor,
  ) {
    this.asked = asked;
    this.path = given.path;
    this.query = given.query;
    this.format = given.format;
    this.headers = given.headers;
    this.text = given.text;
    this.body = given.body;
    this.stream = given.stream;
    this.atMs = given.atMs;
    let resolveEnd: (end: FakeEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      resolveEnd = resolve;
    });
    this.#resolve = resolveEnd;
  }

  /** The answer that the provider makes. Absent: it has refused the call. */
  made: FullAnswer | undefined;
  /** As what its output is billed, if it is no text. */
  makes: 'imageOutput' | 'audioOutput' | undefined;
  /** As what its prompt is billed, if it is no text. */
  hears: 'audioInput' | undefined;
  /** Whether it was a call of a batch, which has the rates of that tier. */
  isBatched = false;

  get billed(): PricedTokens {
    const { made, stream, sent, isBatched } = this;
    if (!made) return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
    const { input, cacheRead, cacheWrite, output, chunks } = made;
    const isPart = stream && sent < chunks.length && this.status !== undefined;
    const charged = isPart ? Math.ceil((output * sent) / chunks.length) : output;
    const text = { input, cacheRead, cacheWrite, output: charged, ...(this.makes && { [this.makes]: charged }) };
    const prompt = input + cacheRead + cacheWrite;
    const tokens = this.hears ? { ...text, input: prompt, cacheRead: 0, cacheWrite: 0, [this.hears]: prompt } : text;
    // Sound alone is billed by what it speaks.
    const isSound = this.format === 'openai-speech' && !stream;
    const spoken = isSound ? { ...tokens, characters: String(this.body.input).length } : tokens;
    return isBatched ? { ...spoken, tier: 'batch' } : spoken;
  }

  /** Writes the end down. Only the first counts. */
  finish(end: FakeEnd): void {
    this.end ??= end;
    this.#resolve(this.end);
  }
}
