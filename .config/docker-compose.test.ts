import { existsSync, readFileSync } from 'node:fs';
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
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } };
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

/** What a service mounts, by the path in its container. */
function sourcesOf(name: string): Readonly<Record<string, string>> {
  const pairs = (service(name).volumes ?? []).map((volume) => volume.split(':').slice(0, 2).reverse());
  return Object.fromEntries(pairs);
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
      expect(needs.image).toMatch(/:v?\d/);
      for (const [name, { condition }] of Object.entries(needs.depends_on ?? {})) {
        const isOneShot = ONE_SHOT.includes(name);
        expect(service(name)).toBeDefined();
        expect(condition).toBe(isOneShot ? 'service_completed_successfully' : 'service_healthy');
      }
      const named = (needs.volumes ?? []).map((volume) => volume.split(':')[0] as string);
      const declared = named.filter((name) => !name.startsWith('.'));
      expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(declared));
      // Where a file is missing, docker makes a folder of its name.
      const mounted = named.filter((name) => name.startsWith('.'));
      expect(mounted.filter((path) => !existsSync(join(__dirname, '..', path)))).toEqual([]);
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

  describe('has a profile that observes', () => {
    const OBSERVE = './examples/observed-api/observe';

    it('whose services are on request, and known to each other by the names in their files', () => {
      const observing = [...services].filter(([, { profiles = [] }]) => profiles.includes('observe'));
      expect(observing.map(([name]) => name)).toEqual(['observed', 'prometheus', 'alertmanager', 'grafana']);
      const files = ['prometheus.yml', 'alertmanager.yml', 'grafana/datasources/prometheus.yml'].map((file) =>
        textOf(`${OBSERVE}/${file}`),
      );
      const named = files.join().match(/\b(observed|prometheus|alertmanager):\d+/g);
      expect(new Set(named)).toEqual(new Set(['observed:9464', 'alertmanager:9093', 'prometheus:9090']));
    });

    it('whose Prometheus, Alertmanager and Grafana read the files that the tests start the programs with', () => {
      expect(sourcesOf('prometheus')).toEqual({
        '/etc/prometheus/prometheus.yml': `${OBSERVE}/prometheus.yml`,
        '/etc/prometheus/sluice.rules.yml': './packages/metrics/prometheus/sluice.rules.yml',
        '/prometheus': 'prometheus',
      });
      expect(sourcesOf('alertmanager')).toEqual({
        '/etc/alertmanager/alertmanager.yml': `${OBSERVE}/alertmanager.yml`,
      });
      expect(sourcesOf('grafana')).toEqual({
        '/etc/grafana/provisioning/datasources': `${OBSERVE}/grafana/datasources`,
        '/etc/grafana/provisioning/dashboards': `${OBSERVE}/grafana/dashboards`,
        '/var/lib/grafana/dashboards': './packages/metrics/grafana',
      });
    });

    it('whose Grafana has the data source, and shows the folder of the dashboards', () => {
      const { datasources } = parse(textOf(`${OBSERVE}/grafana/datasources/prometheus.yml`));
      expect(datasources).toEqual([expect.objectContaining({ type: 'prometheus', isDefault: true })]);
      const { providers } = parse(textOf(`${OBSERVE}/grafana/dashboards/sluice.yml`));
      const folder = providers[0].options.path;
      expect(sourcesOf('grafana')[folder]).toBe('./packages/metrics/grafana');
      const home = service('grafana').environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
      expect(existsSync(join(__dirname, '..', home.replace(folder, 'packages/metrics/grafana')))).toBe(true);
    });

    it('whose example follows the policy file of this checkout, and opens its metrics to no other machine', () => {
      const { environment, ports = [] } = service('observed');
      const { '/policies': folder } = sourcesOf('observed');
      expect(existsSync(join(__dirname, '..', `${folder}${environment?.POLICIES?.replace('/policies', '')}`))).toBe(
        true,
      );
      expect(ports.filter((port) => port.includes('9464'))).toEqual([]);
    });
  });

  describe('has a profile with the decision service behind balancers', () => {
    const GATEWAYS = './examples/gateways';
    const FILES = { nginx: 'nginx/sluice.conf', haproxy: 'haproxy/haproxy.cfg', caddy: 'caddy/Caddyfile' };

    it('whose services are on request', () => {
      const asked = [...services].filter(([, { profiles = [] }]) => profiles.includes('gateway'));
      expect(asked.map(([name]) => name)).toEqual(['sluice-1', 'sluice-2', 'backend', ...Object.keys(FILES)]);
    });

    it('whose balancers read the files that the tests start the programs with', () => {
      expect(sourcesOf('nginx')).toEqual({
        '/etc/nginx/conf.d/default.conf': `${GATEWAYS}/nginx/sluice.conf`,
        // The image runs what can be run in this folder before nginx.
        '/docker-entrypoint.d/40-check-cache.sh': `${GATEWAYS}/nginx/check-cache.sh`,
      });
      expect(sourcesOf('haproxy')).toEqual({ '/usr/local/etc/haproxy': `${GATEWAYS}/haproxy` });
      expect(textOf(`${GATEWAYS}/haproxy/haproxy.cfg`)).toContain('lua-load /usr/local/etc/haproxy/sluice.lua\n');
      expect(sourcesOf('caddy')).toEqual({ '/etc/caddy/Caddyfile': `${GATEWAYS}/caddy/Caddyfile` });
    });

    it.each(Object.entries(FILES))('whose %s finds the service and the application by their names', (name, file) => {
      const named = textOf(`${GATEWAYS}/${file}`).match(/\b(sluice|app):\d{4}\b/g);
      expect(new Set(named)).toEqual(new Set(['sluice:8080', 'app:3000']));
      expect(service(name).ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:.*:8000$/)]);
      const aliases = ['sluice-1', 'sluice-2', 'backend'].map((other) => service(other).networks?.default.aliases);
      expect(aliases).toEqual([['sluice'], ['sluice'], ['app']]);
    });

    it('whose instances follow the policy file of this checkout, and open no port to this machine', () => {
      for (const instance of ['sluice-1', 'sluice-2'].map(service)) {
        const [path = ''] = /\/policies\/\S+/.exec(String(instance.command)) ?? [];
        expect(existsSync(join(__dirname, '..', path.replace('/policies', `${GATEWAYS}/policies`)))).toBe(true);
        expect(instance.ports).toBeUndefined();
      }
      expect(sourcesOf('sluice-1')).toMatchObject({ '/policies': `${GATEWAYS}/policies` });
    });
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
