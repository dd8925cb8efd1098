import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const FOLDER = join(__dirname, '../.github/workflows');

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string | { readonly name: string };
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly run?: string; readonly uses?: string; readonly with?: Record<string, unknown> }[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

describe.each(readdirSync(FOLDER))('the workflow %s', (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const { on, permissions, jobs }: Workflow = parse(text);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('says that nobody has run it', () => {
    expect(text).toMatch(/^# Nobody has run this yet\./);
  });

  it('may read the repository and nothing else, but for jobs in an environment that the owner protects', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const more = Object.values(jobs).filter((job) => job.permissions !== undefined);
    expect(more.filter(({ environment }) => environment === undefined)).toEqual([]);
    for (const { uses, with: options } of steps) {
      if (uses?.startsWith('actions/checkout@')) expect(options).toEqual({ 'persist-credentials': false });
    }
  });

  it('starts by nothing that gives rights to the code of strangers', () => {
    // Not by pull_request_target, workflow_run or a comment: what these start has secrets, and may write.
    const safe = ['push', 'pull_request', 'workflow_dispatch'];
    expect(Object.keys(on).filter((event) => !safe.includes(event))).toEqual([]);
    expect(text).not.toMatch(/\bsecrets\b/);
  });

  it('pins each action by a commit, and names its tag', () => {
    const used = [...text.matchAll(/\buses: (.*)/g)].map(([, action]) => action as string);
    expect(used.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('ends what hangs', () => {
    expect(Object.values(jobs).filter((job) => !job['timeout-minutes'])).toEqual([]);
  });

  it('puts nothing that others write into a command', () => {
    // A title, a branch or an input would be part of a program.
    const expressions = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/\$\{\{(.*?)\}\}/g)].map(([, name]) => name?.trim()),
    );
    expect(expressions.filter((name) => !name?.startsWith('matrix.'))).toEqual([]);
  });
});

it('only the job that publishes packages can say to npm who it is, and only the site to GitHub Pages', () => {
  const jobs = readdirSync(FOLDER).flatMap((file) =>
    Object.entries((parse(readFileSync(join(FOLDER, file), 'utf8')) as Workflow).jobs).map(
      ([name, job]) => [`${file}: ${name}`, job] as const,
    ),
  );
  const withMore = jobs.filter(([, { permissions }]) => permissions !== undefined);
  expect(withMore.map(([name, { permissions, environment }]) => [name, permissions, environment])).toEqual([
    ['docs.yml: deploy', { pages: 'write', 'id-token': 'write' }, expect.objectContaining({ name: 'github-pages' })],
    ['release.yml: publish', { contents: 'read', 'id-token': 'write' }, 'npm'],
  ]);
});

describe('the page of compatibility', () => {
  const page = readFileSync(join(__dirname, '../packages/core/docs/compatibility.md'), 'utf8');
  const rowOf = (name: string) => new RegExp(`^\\| ${name} .*`, 'm').exec(page)?.[0];

  it('names the versions of Node.js and the stores that the workflows have', () => {
    const ci = readFileSync(join(FOLDER, 'ci.yml'), 'utf8');
    expect(ci).toContain('node: ["20.19", "22", "24", "26"]');
    expect(rowOf('Node\\.js')).toContain('20.19 and later. `npm run test:nodes` runs all tests on 22, 24 and 26');
    const stores = readFileSync(join(FOLDER, 'stores.yml'), 'utf8');
    const images = [...stores.matchAll(/image: "(.+?)", package: redis/g)].map(([, image]) => image);
    expect(images).toEqual(['redis:6.2', 'redis:7', 'redis:8', 'valkey/valkey:8']);
    expect(rowOf('Redis')).toContain('has 6.2, 7, 8 and Valkey');
  });

  it('names the oldest TypeScript that a consumer is compiled with', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(__dirname, 'release/package.json'), 'utf8'));
    const [major, minor] = devDependencies.typescript.split('.');
    expect(rowOf('TypeScript')).toContain(`| ${major}.${minor} and later. `);
  });
});
