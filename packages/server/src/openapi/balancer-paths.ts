import { EXAMPLE_ADDRESS } from './exchange.js';
import {
  field,
  fieldParameter,
  LIMIT_FIELDS,
  type Part,
  pathParameter,
  problemResponse,
  REFUSAL_FIELDS,
} from './operation.js';

const FORWARDED: readonly Part[] = [
  fieldParameter('X-Forwarded-Method', 'The method of the request.', 'GET'),
  fieldParameter('X-Forwarded-Uri', 'The path and the query of the request.', '/v1/search?q=tea'),
  fieldParameter('X-Forwarded-Host', 'The host of the request.', 'api.example.com'),
];

const OPERATION = fieldParameter(
  'Sluice-Request-Id',
  'Names the request. If the balancer asks again for the same request, it is charged once.',
);

const POLICY = pathParameter(
  'policy',
  'The name of a policy of the file, or several names with a slash between them: if one policy refuses, the others charge nothing.',
  'api',
);

const WRONG: Part = {
  ...problemResponse(400, 'A field is missing or wrong. Nothing was spent.'),
  ...problemResponse(404, 'The file does not have this policy.'),
};

/** The paths that load balancers ask. */
export const BALANCER_PATHS: Part = {
  '/v1/forward-auth/{policy}': {
    parameters: [POLICY],
    get: {
      operationId: 'forwardAuth',
      summary: 'Decides for Caddy, Traefik, HAProxy and others that pass the answer on to the client',
      description: 'The fields are read only from trusted proxies. Every method is answered alike.',
      parameters: [
        fieldParameter(
          'X-Forwarded-For',
          'The address of the client: the last one that is no trusted proxy. `--address-field` names another field.',
          EXAMPLE_ADDRESS,
        ),
        ...FORWARDED,
        OPERATION,
      ],
      responses: {
        204: { description: 'The request is allowed.', headers: LIMIT_FIELDS },
        ...problemResponse(429, 'The request is refused: send this response to the client.', {}, REFUSAL_FIELDS),
        ...problemResponse(
          403,
          'The address is on the deny list, or the key is blocked without end.',
          {},
          REFUSAL_FIELDS,
        ),
        ...problemResponse(503, 'The store failed, and the policy refuses then.'),
        ...WRONG,
      },
    },
  },
  '/v1/auth-request/{policy}': {
    parameters: [POLICY],
    get: {
      operationId: 'authRequest',
      summary: "Decides for nginx's auth_request, which knows 2xx, 401 and 403 alone",
      parameters: [
        fieldParameter(
          'X-Real-IP',
          'The address of the client. `--address-field` names another field.',
          EXAMPLE_ADDRESS,
        ),
        ...FORWARDED,
        OPERATION,
      ],
      responses: {
        204: { description: 'The request is allowed.', headers: LIMIT_FIELDS },
        403: {
          description: 'The request is refused. The body is empty, so that nginx keeps the connection.',
          headers: {
            ...REFUSAL_FIELDS,
            'Sluice-Status': field('The status for the client.'),
            'Sluice-Problem': field('The body for the client.'),
          },
        },
        ...WRONG,
      },
    },
  },
};
