import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { CLIENT_FIELD } from './contenders/http/serve.js';

/** Never connected: a response is rendered, but not written. */
const SOCKET = new Socket();

/**
 * Returns a function that lets an application answer a request of a client with Node's own request and response, but
 * without a connection. What a connection costs varies more than what is measured here.
 *
 * @param app - an application that answers before it returns
 */
export function inProcessRequests(app: RequestListener): (client: string) => void {
  return (client) => {
    const request = new IncomingMessage(SOCKET);
    request.method = 'GET';
    request.url = '/';
    request.httpVersion = '1.1';
    request.httpVersionMajor = 1;
    request.httpVersionMinor = 1;
    request.rawHeaders = ['Host', 'localhost', CLIENT_FIELD, client];
    Object.assign(request.headers, { host: 'localhost', [CLIENT_FIELD]: client });
    const response = new ServerResponse(request);
    app(request, response);
    if (!response.writableEnded || response.statusCode !== 200) {
      throw new Error(`The request got ${response.writableEnded ? response.statusCode : 'no answer'}`);
    }
  };
}
