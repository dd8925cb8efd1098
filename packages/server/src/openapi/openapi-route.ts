import { sendText } from '../http/respond.js';
import type { Route } from '../http/route.js';
import { openApiText } from './openapi-text.js';

/** Makes the route of the description of the HTTP interface: `GET /v1/openapi.json`. It is made when it is first asked for. */
export function openApiRoute(): Route {
  let text: string | undefined;
  return {
    method: 'GET',
    path: '/v1/openapi.json',
    handle: (_, response) => {
      text ??= openApiText();
      sendText(response, 200, { 'Content-Type': 'application/json' }, text);
    },
  };
}
