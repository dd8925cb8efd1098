import { jsonResponse, type Part } from './operation.js';

const text = (description: string): Part => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});

/** The paths about the service itself. */
export const SERVICE_PATHS: Part = {
  '/v1/openapi.json': {
    get: {
      operationId: 'describe',
      summary: 'Returns this description',
      responses: jsonResponse(200, 'OpenAPI 3.1.', { type: 'object' }),
    },
  },
  '/livez': {
    get: { operationId: 'live', summary: 'Whether the process answers', responses: { 200: text('It does.') } },
  },
  '/readyz': {
    get: {
      operationId: 'ready',
      summary: 'Whether requests may be sent here',
      responses: {
        200: text('They may. A lost store does not change that.'),
        503: text('They may not: the service starts, or drains.'),
      },
    },
  },
};
