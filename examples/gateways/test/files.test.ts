import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPolicyFile } from '@sluice/config';
import { REDUCED_CAPACITY } from '@sluice/http/refusals/problem';
import { parse } from 'yaml';
import { ProtoCheck } from './proto-check.js';

const textOf = (path: string): string => readFileSync(join(__dirname, '..', path), 'utf8');

const FILES = ['nginx/sluice.conf', 'haproxy/sluice.lua', 'caddy/Caddyfile', 'envoy/envoy.yaml', 'traefik/sluice.yaml'];

describe('The files of the balancers', () => {
  it.each(FILES)('%s asks about a policy of the file that is shipped with it', (path) => {
    const { file, mistakes = [] } = readPolicyFile(textOf('policies/sluice.yaml'), { origin: 'sluice.yaml' });
    expect(mistakes).toEqual([]);
    const text = path === 'haproxy/sluice.lua' ? textOf('haproxy/haproxy.cfg') : textOf(path);
    const asked = /(?:set \$sluice_policy|lua\.sluice|forward-auth\/|domain:) ?(\w+)/.exec(text)?.[1] ?? '';
    expect(file?.policies.has(asked)).toBe(true);
    expect(textOf(path).toLowerCase()).toContain('x-api-key');
  });

  it.each(['nginx/sluice.conf', 'haproxy/sluice.lua', 'caddy/Caddyfile'])(
    '%s refuses without a decision as the middleware does',
    (path) => {
      expect(textOf(path)).toContain(REDUCED_CAPACITY.body);
    },
  );

  it.each(['nginx/sluice.conf', 'haproxy/haproxy.cfg', 'caddy/Caddyfile', 'envoy/envoy.yaml'])(
    '%s says how to fail closed',
    (path) => {
      expect(textOf(path)).toContain('FAIL-CLOSED: ');
    },
  );

  it.each(['envoy/envoy.yaml', 'traefik/sluice.yaml'])('%s says that it was not run', (path) => {
    expect(textOf(path)).toContain('NOT RUN');
  });
});

describe("Envoy's file", () => {
  const bootstrap = 'envoy.config.bootstrap.v3.Bootstrap';
  const check = new ProtoCheck([
    'envoy/config/bootstrap/v3/bootstrap.proto',
    'envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto',
    'envoy/extensions/filters/http/ratelimit/v3/rate_limit.proto',
    'envoy/extensions/filters/http/router/v3/router.proto',
    'envoy/extensions/upstreams/http/v3/http_protocol_options.proto',
  ]);
  const text = textOf('envoy/envoy.yaml');

  it('is valid by the protocol files that Envoy publishes', () => {
    expect(check.mistakes(bootstrap, parse(text))).toEqual([]);
  });

  it.each([
    ['domain: api', 'domein: api', /RateLimit>\.domein: no such field$/],
    ['timeout: 0.1s', 'timeout: 100ms', /timeout: "100ms" is no google\.protobuf\.Duration$/],
    ['transport_api_version: V3', 'transport_api_version: V4', /"V4" is no value of ApiVersion$/],
    ['failure_mode_deny: false', 'failure_mode_deny: "no"', /"no" is no TYPE_BOOL$/],
    ['skip_if_absent: true', 'skip: true', /request_headers\.skip: no such field$/],
    ['filters.http.router.v3.Router', 'filters.http.router.v3.Rooter', /nobody knows \S+\.Rooter$/],
    ['http2_protocol_options', 'http9_protocol_options', /http9_protocol_options: no such field$/],
  ])('would not be with a mistake: %s', (right, wrong, mistake) => {
    expect(text).toContain(right);
    expect(check.mistakes(bootstrap, parse(text.replace(right, wrong)))).toEqual([expect.stringMatching(mistake)]);
  });
});
