import type { IncomingMessage } from 'node:http';
import { InputProblem } from './input-problem.js';

/**
 * Reads the body of a request.
 *
 * @param mostBytes - the size of the largest body that is read
 * @throws InputProblem 413 for a larger one, of which the rest is not read; 400 if the client has not sent all of it
 */
export function readBody(message: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const announced = message.headers['content-length'];
  if (announced !== undefined && Number(announced) > mostBytes) return Promise.reject(tooLarge(mostBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (): void => {
      message.off('data', take).off('end', done).off('close', cut).off('error', cut);
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= mostBytes) {
        chunks.push(chunk);
        return;
      }
      end();
      message.pause();
      reject(tooLarge(mostBytes));
    };
    const done = (): void => {
      end();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const cut = (): void => {
      end();
      // A connection that is cut off may still say so.
      message.on('error', () => {});
      reject(new InputProblem(400, [{ pointer: '', detail: 'ended before its length' }]));
    };
    message.on('data', take).on('end', done).on('close', cut).on('error', cut);
  });
}

/** The rest of such a body would have to be read before the next request, so the connection ends. */
function tooLarge(mostBytes: number): InputProblem {
  return new InputProblem(413, [{ pointer: '', detail: `must have at most ${mostBytes} bytes` }], {
    headers: { Connection: 'close' },
  });
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a request as JSON.
 *
 * @throws InputProblem as `readBody`; 400 for a body that is encoded, is no UTF-8 or no JSON
 */
export async function readJson(message: IncomingMessage, mostBytes: number): Promise<unknown> {
  const encoding = message.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new InputProblem(400, [{ header: 'Content-Encoding', detail: 'must be absent: send the body as it is' }]);
  }
  return parseJson(await readBody(message, mostBytes));
}

/**
 * Parses the bytes of a body as JSON.
 *
 * @throws InputProblem 400 if they are no UTF-8 or no JSON
 */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(body));
  } catch (cause) {
    const detail = cause instanceof SyntaxError ? 'must be JSON' : 'must be text in UTF-8';
    throw new InputProblem(400, [{ pointer: '', detail }], { cause });
  }
}
