import { ServerResponse } from 'node:http';
import { optionError } from '@sluice/core/values';
import { cancelled } from '../meter/metered-body.js';

/** Fastify's reply, which Nest also uses. */
interface Reply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
}

/**
 * Returns Node's own response. The fields that were set on a reply around it are taken along, and the framework leaves
 * the rest to the caller.
 */
function takeOver(response: ServerResponse | Reply): ServerResponse {
  if (response instanceof ServerResponse || !('hijack' in response)) return response as ServerResponse;
  const { raw } = response;
  for (const [name, value] of Object.entries(response.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value);
  response.hijack();
  return raw;
}

/**
 * Writes an answer to a response of Node or of a framework over it, as fast as the client takes it.
 *
 * @param left - aborts when the client has left
 */
export async function writeAnswer(response: object, answer: Response, left: AbortSignal): Promise<void> {
  const raw = takeOver(response as ServerResponse | Reply);
  const reader = answer.body?.getReader();
  const isLeft = left.aborted || raw.destroyed;
  if (isLeft || raw.headersSent) {
    if (reader) await cancelled(reader);
    if (isLeft) return;
    throw optionError('exchange.res', 'must be a response that nobody has begun', response);
  }
  raw.statusCode = answer.status;
  for (const [name, value] of answer.headers) raw.setHeader(name, value);
  if (reader) await pour(reader, raw, left);
  else raw.end();
}

async function pour(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  raw: ServerResponse,
  left: AbortSignal,
): Promise<void> {
  const leave = (): void => void cancelled(reader);
  left.addEventListener('abort', leave, { once: true });
  // The client learns that there is an answer before its first chunk is there.
  raw.flushHeaders();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || left.aborted) break;
      if (!raw.write(value)) await drained(raw);
    }
    if (!left.aborted) raw.end();
  } catch {
    // The client has to see that this is not the whole answer.
    raw.destroy();
  } finally {
    left.removeEventListener('abort', leave);
  }
}

function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      raw.off('drain', end);
      raw.off('close', end);
      resolve();
    };
    raw.on('drain', end);
    raw.on('close', end);
    if (raw.destroyed) end();
  });
}
