import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const PACKAGES = join(__dirname, '../packages');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifests: Manifest[] = readdirSync(PACKAGES).map((name) =>
  JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')),
);

/** Runs code that imports modules of the release, and returns its `result`. They are no CommonJS. */
function evaluate<T>(code: string): T {
  const script = `${code.replace(/from '\.\//g, `from '${join(__dirname, 'release')}/`)}\nconsole.error(JSON.stringify(result));`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return JSON.parse(stderr);
}

it('all packages have one version, by which they depend on each other', () => {
  const versions = manifests.map(({ version }) => version);
  const pins = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).flatMap(([name, range]) => (name.startsWith('@sluice/') ? [range] : [])),
  );
  expect(new Set([...versions, ...pins])).toEqual(new Set(versions.slice(0, 1)));
});

describe('nothing is published', () => {
  /** A release in its workflow, and what is in the way of others that differ from it. */
  const RELEASE = {
    owner: { repository: 'https://example.com/sluice', isPublished: true },
    notes: [],
    versions: { '@sluice/core': '0.2.0', '@sluice/express': '0.2.0' },
    env: { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://example.com', GITHUB_REF: 'refs/tags/v0.2.0' },
  };
  const cases: [string, object, RegExp[]][] = [
    ['by no case of these', {}, []],
    ['without a repository', { owner: { repository: '', isPublished: true } }, [/names no repository/]],
    ['before the first release', { owner: { ...RELEASE.owner, isPublished: false } }, [/no package is on npm/]],
    ['with a note that has no version', { notes: ['quick-owls.md'] }, [/^1 notes have no version/]],
    [
      'with one version raised alone',
      { versions: { '@sluice/core': '0.2.0', '@sluice/express': '0.3.0' } },
      [/different versions: 0\.2\.0, 0\.3\.0/],
    ],
    ['outside of the workflow', { env: {} }, [/^Only the workflow of releases publishes\./]],
    [
      'for a tag of another version',
      { env: { ...RELEASE.env, GITHUB_REF: 'refs/tags/v0.1.0' } },
      [/runs for refs\/tags\/v0\.1\.0, and the packages are refs\/tags\/v0\.2\.0/],
    ],
    ['for a branch', { env: { ...RELEASE.env, GITHUB_REF: 'refs/heads/v0.2.0' } }, [/runs for refs\/heads\/v0\.2\.0/]],
  ];
  const found = evaluate<string[][]>(`
    import { obstacles } from './obstacles.mjs';
    const result = ${JSON.stringify(cases.map(([, differs]) => ({ ...RELEASE, ...differs })))}.map(obstacles);
  `);

  it.each(cases.map(([name, , expected], i) => [name, expected, found[i]] as const))('%s', (_, expected, obstacles) => {
    expect(obstacles).toEqual(expected.map((text) => expect.stringMatching(text)));
  });

  it('from a workspace', () => {
    const open = manifests.filter((one) => !one.private && !one.scripts?.prepublishOnly?.endsWith('/no-workspace.mjs'));
    expect(open.map(({ name }) => name)).toEqual([]);
    const { status } = spawnSync(process.execPath, [join(__dirname, 'publish/no-workspace.mjs')]);
    expect(status).toBe(1);
  });
});

describe('the packages are published', () => {
  /** Publishes to a registry that has these versions, and returns what npm was asked for. */
  const published = (registry: Readonly<Record<string, readonly string[] | string>>, fails = ''): string[] =>
    evaluate(`
      import { publishAll } from './publish.mjs';
      console.log = () => {};
      const registry = ${JSON.stringify(registry)};
      const result = [];
      const npm = (command, ...args) => {
        const last = args.at(command === 'view' ? 0 : -1);
        result.push(command + ' ' + last);
        if (command === 'publish') return { status: last === '${fails}' ? 1 : 0, stdout: '' };
        if (registry[last] === undefined) return { status: 1, stdout: '{ "error": { "code": "E404" } }' };
        if (registry[last] === 'down') return { status: 1, stdout: '{ "error": { "code": "ECONNREFUSED" } }' };
        return { status: 0, stdout: JSON.stringify(registry[last]) };
      };
      const packages = ['core', 'express'].map((name) => ({ name: '@sluice/' + name, version: '0.2.0', folder: 'dist/' + name }));
      try { publishAll(packages, npm); } catch (error) { result.push(error.message); }
    `);
  const VIEWED = ['view @sluice/core', 'view @sluice/express'];

  it('one after another', () => {
    expect(published({ '@sluice/core': '0.1.0', '@sluice/express': ['0.0.1', '0.1.0'] })).toEqual([
      ...VIEWED,
      'publish dist/core',
      'publish dist/express',
    ]);
  });

  it('but for those that an earlier try has published', () => {
    expect(published({ '@sluice/core': ['0.1.0', '0.2.0'], '@sluice/express': '0.1.0' })).toEqual([
      ...VIEWED,
      'publish dist/express',
    ]);
  });

  it('if npm knows all of them, or none is', () => {
    expect(published({ '@sluice/core': '0.1.0' })).toEqual([
      ...VIEWED,
      expect.stringMatching(/^npm does not know @sluice\/express: /),
    ]);
  });

  it('until npm fails', () => {
    const registry = { '@sluice/core': '0.1.0', '@sluice/express': '0.1.0' };
    expect(published(registry, 'dist/core')).toEqual([
      ...VIEWED,
      'publish dist/core',
      'npm has not published @sluice/core@0.2.0',
    ]);
    expect(published({ ...registry, '@sluice/express': 'down' })).toEqual([
      ...VIEWED,
      'npm does not say which versions @sluice/express has',
    ]);
  });
});
