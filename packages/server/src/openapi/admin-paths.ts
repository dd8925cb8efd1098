import type { AdminVerb } from '../admin/admin-verb.js';
import { ADMIN_VERBS } from '../admin/admin-verbs.js';
import { jsonSchemaOf } from './components.js';
import { BODY_PROBLEMS, jsonResponse, type Part, problemResponse } from './operation.js';

const SERVERS = [{ url: 'http://127.0.0.1:8082', description: 'The administration, on a port of its own.' }];

/** The paths of the administration. */
export const ADMIN_PATHS: Part = Object.fromEntries(
  ADMIN_VERBS.map((verb) => [`/v1/admin/${verb.name}`, pathOf(verb)]),
);

function pathOf({ name, summary, access, schema }: AdminVerb): Part {
  return {
    servers: SERVERS,
    post: {
      operationId: operationId(name),
      summary,
      tags: ['Administration'],
      security: access === 'read' ? [{ readToken: [] }, { writeToken: [] }] : [{ writeToken: [] }],
      requestBody: { required: false, content: { 'application/json': { schema: jsonSchemaOf(schema) } } },
      responses: {
        ...jsonResponse(200, 'What was found, or done.', { type: 'object' }),
        ...problemResponse(400, 'The body has mistakes. Nothing was done.'),
        ...BODY_PROBLEMS,
        ...problemResponse(401, 'There is no token, or it is not known here.'),
        ...problemResponse(403, 'The token may only read, or the Host or the Origin is not known here.'),
      },
    },
  };
}

/** `enforcement/set` becomes `adminEnforcementSet`. */
function operationId(name: string): string {
  return `admin/${name}`.replace(/[/-](.)/g, (_, letter: string) => letter.toUpperCase());
}
