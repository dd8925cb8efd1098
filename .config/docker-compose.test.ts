import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SERVICE } from '@sluice/test-kit/redis/redis-program';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
  readonly network_mode?: string;
  readonly entrypoint?: string;
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

const textOf = (path: string): string => readFileSync(join(__dirname, '..', path), 'utf8');

const compose = parse(textOf('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const services = new Map(Object.entries(compose.services));

/** Of which it is enough that they end well. */
const ONE_SHOT = ['build', 'cluster'];

function service(name: string): Service {
  const found = services.get(name);
  if (!found) throw new Error(`no service ${name}`);
  return found;
}

describe('docker-compose.yml', () => {
  it('starts the example behind a balancer, with Redis, and the rest on request', () => {
    const isDefault = ([, { profiles }]: [string, Service]) => profiles === undefined;
    expect([...services].filter(isDefault).map(([name]) => name)).toEqual([
      'balancer',
      'api-1',
      'api-2',
      'build',
      'redis',
    ]);
    expect(service('valkey').profiles).toEqual(['valkey']);
    expect(service('postgres').profiles).toEqual(['postgres']);
    expect(service('cluster').profiles).toEqual(['cluster']);
  });

  it('opens only the port of the balancer to other machines', () => {
    const isOpen = (port: string) => !port.startsWith('127.0.0.1:');
    const open = [...services].flatMap(([name, { ports = [] }]) => ports.filter(isOpen).map((port) => [name, port]));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as compose writes it
    expect(open).toEqual([['balancer', '${PORT:-3000}:3000']]);
  });

  it('lets the balancer use every instance, and gives every instance their number and the address of Redis', () => {
    const [, upstreams = ''] = /reverse_proxy (.*) \{/.exec(textOf('examples/express-api/Caddyfile')) ?? [];
    const instances = upstreams.split(' ').map((upstream) => upstream.split(':'));
    expect(instances.length).toBeGreaterThan(1);
    for (const [name = '', port] of instances) {
      expect(service(name).environment).toMatchObject({
        PORT: port,
        REDIS_URL: 'redis://redis:6379',
        INSTANCES: `${instances.length}`,
        TRUST_PROXY: 'uniquelocal',
      });
      expect(service(name).ports).toBeUndefined();
      expect(service('balancer').depends_on?.[name]).toEqual({ condition: 'service_healthy' });
    }
  });

  it.each([...services].filter(([name]) => name !== SERVICE))('checks whether %s is up', (name, { healthcheck }) => {
    expect(healthcheck === undefined).toBe(ONE_SHOT.includes(name));
  });

  it.each([...services])(
    'states what %s needs: a version, volumes, and the state of other services',
    (_name, needs) => {
      expect(needs.image).toMatch(/:\d/);
      for (const [name, { condition }] of Object.entries(needs.depends_on ?? {})) {
        const isOneShot = ONE_SHOT.includes(name);
        expect(service(name)).toBeDefined();
        expect(condition).toBe(isOneShot ? 'service_completed_successfully' : 'service_healthy');
      }
      const named = (needs.volumes ?? []).map((volume) => volume.split(':')[0] as string);
      const declared = named.filter((name) => !name.startsWith('.'));
      expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(declared));
    },
  );

  it('makes a cluster of three nodes, each under one address inside and outside', () => {
    const nodes = ['cluster-1', 'cluster-2', 'cluster-3'].map(service);
    const ports = nodes.map(({ environment }) => environment?.NODE_PORT as string);
    for (const { command } of nodes) expect(command).toContain('--cluster-announce-ip 127.0.0.1');
    expect(nodes[0]?.ports).toEqual(ports.map((port) => `127.0.0.1:${port}:${port}`));
    const others = [nodes[1], nodes[2], service('cluster')];
    expect(others.map((node) => node?.network_mode)).toEqual(Array(3).fill('service:cluster-1'));
    const addresses = ports.map((port) => `127.0.0.1:${port}`).join(' ');
    expect(service('cluster').command).toContain(`--cluster create ${addresses} --cluster-yes`);
  });

  it('has the services of the tests, on the network of this machine and only on request', () => {
    expect(service(SERVICE)).toEqual({
      image: expect.stringMatching(/^redis:/),
      profiles: ['tests'],
      network_mode: 'host',
      entrypoint: 'redis-server',
    });
  });
});
