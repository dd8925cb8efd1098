import { ADMIN_PATHS } from './admin-paths.js';
import { BALANCER_PATHS } from './balancer-paths.js';
import { jsonSchemas } from './components.js';
import { DECISION_PATHS } from './decision-paths.js';
import { EXAMPLE_POLICIES } from './exchange.js';
import type { Part } from './operation.js';
import { RATELIMIT_PATHS } from './ratelimit-paths.js';
import { SERVICE_PATHS } from './service-paths.js';

const ABOUT = `Decides about rate limits for load balancers, and for services in any language.

The policies are in a file. The examples are about this one:

\`\`\`yaml
${EXAMPLE_POLICIES}\`\`\`

A request with mistakes is answered with a problem (RFC 9457), which lists all of them with their places. Nothing is spent then.`;

/** Returns the description of the HTTP interface as OpenAPI 3.1. What checks requests is what describes them. */
export function openApiDocument(): Part {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice decision service',
      version: '1',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:8080' }],
    paths: { ...DECISION_PATHS, ...BALANCER_PATHS, ...RATELIMIT_PATHS, ...SERVICE_PATHS, ...ADMIN_PATHS },
    components: {
      schemas: jsonSchemas(),
      securitySchemes: {
        callToken: bearer('A call token of the service.'),
        readToken: bearer('A read token of the administration.'),
        writeToken: bearer('A write token of the administration.'),
      },
    },
  };
}

function bearer(description: string): Part {
  return { type: 'http', scheme: 'bearer', description };
}
