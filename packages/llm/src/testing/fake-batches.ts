import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dialect } from './dialects/dialect.js';
import { errorBody } from './dialects/dialect.js';
import { dialectAt } from './dialects/dialects.js';
import type { FakeAnswer, FullAnswer } from './fake-answer.js';
import { askedLikeOpenAi, RecordedCall } from './fake-call.js';

/** How the provider answers a call of a batch. */
interface Answered {
  readonly number: number;
  readonly answer: FakeAnswer;
  readonly full: FullAnswer;
}

interface BatchParts {
  nowMs(): number;
  /** Takes a call of a batch as any other one. */
  answer(call: RecordedCall, dialect: Dialect): Answered;
}

/** One call of a batch. */
interface Line {
  readonly custom_id: unknown;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Batch {
  readonly id: string;
  readonly vendor: 'openai' | 'anthropic';
  readonly lines: readonly Line[];
  /** What the body that made it says. */
  readonly stated: Readonly<Record<string, unknown>>;
  readonly createdMs: number;
  /** The lines of the results. Absent before it has ended. */
  answered?: readonly string[];
  failed?: readonly string[];
}

type Reply = readonly [body: unknown, status?: number];

/**
 * The batches of OpenAI and Anthropic, and the files of OpenAI. By https://platform.openai.com/docs/api-reference/batch and
 * https://docs.anthropic.com/en/api/creating-message-batches
 */
export class FakeBatches {
  readonly #parts: BatchParts;
  readonly #files = new Map<string, string>();
  readonly #batches = new Map<string, Batch>();

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /** Answers a request if it is about a file or a batch. Resolves with whether it is. */
  async take(request: IncomingMessage, path: string, text: string, response: ServerResponse): Promise<boolean> {
    const reply = await this.#reply(request, path, text);
    if (!reply) return false;
    const [body, status = 200] = reply;
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'application/octet-stream' : 'application/json' });
    // As the real ones, which print answers about batches in several lines.
    response.end(isText ? body : JSON.stringify(body, null, 2));
    return true;
  }

  /** Ends all batches that are under way: answers their calls. */
  end(): void {
    for (const batch of this.#batches.values()) if (!batch.answered) this.#run(batch);
  }

  async #reply(request: IncomingMessage, path: string, text: string): Promise<Reply | undefined> {
    const [, vendorPath, id, action] =
      /^\/v1\/(files|batches|messages\/batches)(?:\/([^/]+))?(?:\/(content|results|cancel))?$/.exec(path) ?? [];
    if (vendorPath === undefined) return undefined;
    if (id === undefined) {
      if (request.method !== 'POST') return undefined;
      return vendorPath === 'files' ? this.#upload(request, text) : this.#create(vendorPath, text);
    }
    return vendorPath === 'files' ? this.#file(id, action) : this.#batch(id, action);
  }

  async #upload(request: IncomingMessage, text: string): Promise<Reply> {
    const type = request.headers['content-type'] ?? '';
    const form = await new Response(text, { headers: { 'content-type': type } }).formData().catch(() => undefined);
    const file = form?.get('file');
    if (!form || typeof file !== 'object' || file === null) return [errorBody('openai', { status: 400 }), 400];
    const content = await file.text();
    const id = this.#keep(content);
    const created_at = Math.floor(this.#parts.nowMs() / 1000);
    return [
      { id, object: 'file', bytes: content.length, created_at, filename: file.name, purpose: form.get('purpose') },
    ];
  }

  #keep(content: string): string {
    const id = `file-${this.#files.size + 1}`;
    this.#files.set(id, content);
    return id;
  }

  #file(id: string, action: string | undefined): Reply {
    const content = this.#files.get(id);
    if (content === undefined) return [errorBody('openai', { status: 404, message: 'No such File' }), 404];
    return action === 'content' ? [content] : [{ id, object: 'file', bytes: content.length }];
  }

  #create(vendorPath: string, text: string): Reply {
    const vendor = vendorPath === 'batches' ? 'openai' : 'anthropic';
    const stated = JSON.parse(text) as Batch['stated'];
    const lines = vendor === 'openai' ? this.#linesOf(stated.input_file_id) : requestsOf(stated.requests);
    if (!lines) return [errorBody(vendor, { status: 400, message: 'There are no calls' }), 400];
    const id = `${vendor === 'openai' ? 'batch' : 'msgbatch'}_${this.#batches.size + 1}`;
    const batch: Batch = { id, vendor, lines, stated, createdMs: this.#parts.nowMs() };
    this.#batches.set(id, batch);
    return [this.#stateOf(batch)];
  }

  #batch(id: string, action: string | undefined): Reply {
    const batch = this.#batches.get(id);
    if (!batch) return [errorBody('openai', { status: 404, message: 'No such Batch' }), 404];
    if (action === 'cancel' && !batch.answered) {
      batch.answered = [];
      batch.failed = batch.lines.map(({ custom_id }) => JSON.stringify({ custom_id, result: { type: 'canceled' } }));
    }
    if (action !== 'results') return [this.#stateOf(batch)];
    if (!batch.answered) return [errorBody('anthropic', { status: 404, message: 'The batch has not ended' }), 404];
    return [[...batch.answered, ...(batch.failed ?? [])].map((line) => `${line}\n`).join('')];
  }

  #linesOf(file: unknown): readonly Line[] | undefined {
    const content = typeof file === 'string' ? this.#files.get(file) : undefined;
    const texts = content?.split('\n').filter((line) => line.trim() !== '');
    return texts?.map((line) => {
      const { custom_id, url, body } = JSON.parse(line) as { custom_id: unknown; url: string; body: Line['body'] };
      return { custom_id, path: url, body };
    });
  }

  #run(batch: Batch): void {
    const answered: string[] = [];
    const failed: string[] = [];
    for (const line of batch.lines) {
      const dialect = dialectAt(line.path) as Dialect;
      const given = { ...line, query: new URLSearchParams(), format: dialect.format, stream: false, headers: {} };
      const call = new RecordedCall(
        { ...given, text: JSON.stringify(line.body), atMs: this.#parts.nowMs() },
        askedLikeOpenAi(line.body),
      );
      const { number, answer, full } = this.#parts.answer(call, dialect);
      const isOpenAi = batch.vendor === 'openai';
      if (answer.refuse || answer.silent) failed.push(JSON.stringify(failureOf(line, answer, isOpenAi)));
      else {
        call.made = full;
        call.makes = dialect.makes;
        call.isBatched = true;
        const body = dialect.json(full, call);
        const said = isOpenAi
          ? {
              id: `batch_req_${number}`,
              response: { status_code: 200, request_id: `req_${number}`, body },
              error: null,
            }
          : { result: { type: 'succeeded', message: body } };
        answered.push(JSON.stringify({ custom_id: line.custom_id, ...said }));
      }
      call.status = answer.refuse?.status ?? 200;
      call.finish('finished');
    }
    batch.answered = answered;
    batch.failed = failed;
  }

  #stateOf(batch: Batch): object {
    const { id, vendor, stated, lines, createdMs, answered, failed = [] } = batch;
    if (vendor === 'anthropic') {
      const counts = { processing: answered ? 0 : lines.length, succeeded: answered?.length ?? 0 };
      return {
        id,
        type: 'message_batch',
        processing_status: answered ? 'ended' : 'in_progress',
        request_counts: { ...counts, errored: failed.length, canceled: 0, expired: 0 },
        created_at: new Date(createdMs).toISOString(),
        ended_at: answered ? new Date(this.#parts.nowMs()).toISOString() : null,
        results_url: answered ? `https://api.anthropic.com/v1/messages/batches/${id}/results` : null,
      };
    }
    const files = answered && this.#filesOf(batch, answered, failed);
    return {
      id,
      object: 'batch',
      endpoint: stated.endpoint,
      input_file_id: stated.input_file_id,
      completion_window: stated.completion_window,
      status: answered ? 'completed' : 'in_progress',
      output_file_id: files?.output ?? null,
      error_file_id: files?.errors ?? null,
      created_at: Math.floor(createdMs / 1000),
      request_counts: { total: lines.length, completed: answered?.length ?? 0, failed: failed.length },
      // Nothing is stated here before the end. The results say it of each call.
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    };
  }

  readonly #results = new Map<Batch, { readonly output?: string; readonly errors?: string }>();

  #filesOf(batch: Batch, answered: readonly string[], failed: readonly string[]) {
    const known = this.#results.get(batch) ?? {
      ...(answered.length > 0 && { output: this.#keep(`${answered.join('\n')}\n`) }),
      ...(failed.length > 0 && { errors: this.#keep(`${failed.join('\n')}\n`) }),
    };
    this.#results.set(batch, known);
    return known;
  }
}

function requestsOf(requests: unknown): readonly Line[] | undefined {
  if (!Array.isArray(requests) || requests.length === 0) return undefined;
  return requests.map(({ custom_id, params }) => ({ custom_id, path: '/v1/messages', body: params }));
}

/** A call without an answer in time has expired. */
function failureOf({ custom_id }: Line, { refuse }: FakeAnswer, isOpenAi: boolean): object {
  if (!isOpenAi) {
    if (!refuse) return { custom_id, result: { type: 'expired' } };
    return { custom_id, result: { type: 'errored', error: errorBody('anthropic', refuse) } };
  }
  if (!refuse)
    return { custom_id, response: null, error: { code: 'batch_expired', message: 'It was not run in time' } };
  return { custom_id, response: { status_code: refuse.status, body: errorBody('openai', refuse) }, error: null };
}
