import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ADMIN_VERBS } from '../../src/admin/admin-verbs.js';
import { decisionRoutes } from '../../src/decisions/decision-routes.js';
import { jsonRoutes } from '../../src/descriptors/json-route.js';
import { healthRoutes } from '../../src/health/health-routes.js';
import { RequestMetrics } from '../../src/metrics/request-metrics.js';
import { EXAMPLE_POLICIES, EXAMPLE_TOKEN } from '../../src/openapi/exchange.js';
import { openApiRoute } from '../../src/openapi/openapi-route.js';
import { openApiText } from '../../src/openapi/openapi-text.js';
import { trafficRoutes } from '../../src/traffic/traffic-routes.js';
import { type DecisionServer, startDecisionServer } from '../decisions/decision-server.js';

interface Example {
  readonly value: unknown;
}

interface Media {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, Example>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Media } };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly get: Operation;
  readonly post: Operation;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: string;
}

const DOCUMENT = JSON.parse(openApiText());

/** Those of the port that requests are decided on. */
const OPERATIONS = Object.entries(DOCUMENT.paths as Readonly<Record<string, PathItem>>)
  .filter(([path]) => !path.startsWith('/v1/admin/'))
  .flatMap(([path, { parameters = [], ...operations }]) =>
    Object.entries(operations).map(
      ([method, operation]): [method: string, path: string, operation: Operation, parameters: readonly Parameter[]] => [
        method.toUpperCase(),
        path,
        operation,
        [...parameters, ...(operation.parameters ?? [])],
      ],
    ),
  );

const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
ajv.addSchema({ $id: 'doc', components: DOCUMENT.components });

/** The mistakes that a schema of the document finds in a value. */
function mistakesOf(schema: object, value: unknown): unknown {
  const text = JSON.stringify(schema).replaceAll('#/components', 'doc#/components');
  const validate = ajv.compile(JSON.parse(text));
  return validate(value) ? [] : validate.errors;
}

let server: DecisionServer;

beforeAll(async () => {
  server = await startDecisionServer({
    text: EXAMPLE_POLICIES,
    routes: (parts) => [
      ...decisionRoutes(parts),
      ...trafficRoutes({ service: parts.service, requestMetrics: new RequestMetrics(), trustedProxies: ['127.0.0.1'] }),
      ...jsonRoutes({ service: parts.service, callers: { knows: () => true, check: () => {} } }),
      ...healthRoutes({ isReady: true, degraded: [], onChange: () => () => {} }),
      openApiRoute(),
    ],
  });
});

afterAll(async () => {
  expect(server.reported).toEqual([]);
  await server.close();
});

describe('openapi.json', () => {
  it('is what the schemas say: npm run openapi -w @sluice/server', () => {
    expect(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')).toBe(openApiText());
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(DOCUMENT);
    expect(errors ?? []).toEqual([]);
    expect([valid, validator.version]).toEqual([true, '3.1']);
  });

  it('is served', async () => {
    const { status, headers, body } = await server.send('/v1/openapi.json', {});
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toEqual(DOCUMENT);
  });

  it('describes requests by what checks them', () => {
    const { DecisionRequest } = DOCUMENT.components.schemas;
    expect(mistakesOf(DecisionRequest, { policy: 'api' })).toEqual([]);
    expect(mistakesOf(DecisionRequest, { policy: 'api', cost: -1 })).not.toEqual([]);
    expect(mistakesOf(DecisionRequest, { policy: 'api', unknown: 1 })).not.toEqual([]);
    expect(mistakesOf(DecisionRequest, { policy: 'api', request: { headers: { a: 'b' }, unknown: 1 } })).not.toEqual(
      [],
    );
  });

  it('describes every verb of the administration', () => {
    const paths = Object.keys(DOCUMENT.paths).filter((path) => path.startsWith('/v1/admin/'));
    expect(paths).toEqual(ADMIN_VERBS.map(({ name }) => `/v1/admin/${name}`));
  });

  it('has an example for each operation with a body', () => {
    for (const [method, path, { requestBody }] of OPERATIONS) {
      if (method === 'POST')
        expect([path, Object.keys(requestBody?.content['application/json'].examples ?? {})]).not.toEqual([path, []]);
    }
  });
});

/** The text that stands for what is different each time. */
const TOKENS = /1\.[A-Za-z0-9_-]{8}\.[A-Za-z0-9_-]{24,}\.[A-Za-z0-9_-]{43}/g;

describe.each(OPERATIONS)('%s %s', (method, path, { requestBody, responses }, parameters) => {
  const headers = Object.fromEntries(
    parameters
      .filter(({ in: place, example }) => place === 'header' && example)
      .map(({ name, example }) => [name, example as string]),
  );
  const examples = requestBody?.content['application/json'].examples ?? {};

  /** The path, with a reservation of its own where it needs one. */
  const target = async (): Promise<string> => {
    if (!path.includes('{token}')) return path.replace('{policy}', 'api');
    const { body } = await server.post('/v1/decisions', {
      policy: 'api',
      kind: 'reserve',
      request: { address: '203.0.113.9' },
    });
    return path.replace('{token}', body.reservation.token);
  };

  const check = (status: number, type: string | null, body: unknown): Media | undefined => {
    const response = responses[status];
    expect(response).toBeDefined();
    const media = response?.content?.[type ?? ''];
    if (media) expect(mistakesOf(media.schema, body)).toEqual([]);
    return media;
  };

  if (method === 'GET') {
    it('answers with what is described', async () => {
      const { status, headers: fields, body } = await server.send(await target(), { headers });
      check(status, fields.get('content-type'), body);
      expect([200, 204]).toContain(status);
    });
    return;
  }

  it.each(Object.keys(examples))('answers the example %s as it says', async (name) => {
    const { value } = examples[name] as Example;
    const { status, headers: fields, body } = await server.post(await target(), value, headers);
    const media = check(status, fields.get('content-type'), body);
    const text = JSON.stringify(body).replaceAll(TOKENS, EXAMPLE_TOKEN);
    expect(media?.examples?.[name]?.value).toEqual(JSON.parse(text));
    if (status === 200 && requestBody) {
      expect(mistakesOf(requestBody.content['application/json'].schema, value)).toEqual([]);
    }
  });
});
