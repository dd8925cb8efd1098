import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Queue } from 'bullmq';
import { type Message, messageOf } from './messages.js';

/** A message that cannot be sent is tried again, later each time. Each try asks the limiter. */
const JOB = { attempts: 5, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: 1000, removeOnFail: 1000 };

const LONGEST_BODY = 10_000;

/**
 * The web process. It accepts messages and does not wait until they are delivered: `POST /messages` gets 202 and the path of the job,
 * where its state can be read.
 */
export function createWeb(queue: Queue<Message>): Server {
  return createServer(async (request, response) => {
    try {
      await answer(queue, request, response);
    } catch (error) {
      console.error(error);
      if (!response.headersSent) send(response, 500, { error: 'try again later' });
    }
  });
}

async function answer(queue: Queue<Message>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '/' } = request;
  const [, collection, id] = url.split('/');
  if (collection !== 'messages') return send(response, 404, { error: 'POST /messages, or GET /messages/ID' });
  if (method === 'POST' && id === undefined) {
    const message = messageOf(await bodyOf(request));
    if (!message) return send(response, 400, { error: 'expected {"to": "…", "text": "…"}' });
    const job = await queue.add('send', message, JOB);
    return send(response, 202, { state: `/messages/${job.id}` });
  }
  if (method === 'GET' && id) {
    const state = await queue.getJobState(id);
    return send(response, state === 'unknown' ? 404 : 200, { state });
  }
  send(response, 405, { error: 'POST /messages, or GET /messages/ID' });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

/** Reads a body. One that is too long is read as nothing. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > LONGEST_BODY) return '';
  }
  return body;
}
