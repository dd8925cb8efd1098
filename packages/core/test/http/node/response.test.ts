import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { setHeaders } from '../../../src/http/node/response.js';

it('A response has the header fields that it is given, and none that all objects were made to inherit', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  Object.defineProperty(Object.prototype, 'x-slipped-in', { value: 'yes', enumerable: true, configurable: true });
  try {
    setHeaders(response, { RateLimit: '"login";r=4;t=60' });
  } finally {
    Reflect.deleteProperty(Object.prototype, 'x-slipped-in');
  }
  expect(response.getHeaderNames()).toEqual(['ratelimit']);
});
