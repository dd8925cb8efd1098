import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Path {
  readonly packing?: string;
  readonly commands: readonly string[];
  readonly file: string;
  readonly code: string;
}

interface Pages {
  /** The paths of the pages, as they are and as they install by name. */
  readonly paths: Record<string, Path>;
  readonly named: Record<string, Path>;
  readonly most: number;
  /** All pages as they install by name. */
  readonly texts: Record<string, string>;
  readonly isPublished: boolean;
}

// The modules are no CommonJS, so that another process loads them.
const { paths, named, most, texts, isPublished }: Pages = JSON.parse(
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { FRAMEWORKS, MOST_COMMANDS, pageOf, pathOf } from '${join(__dirname, 'publish/first-429.mjs')}';
      import { installedByName, pagesByName } from '${join(__dirname, 'publish/install-lines.mjs')}';
      import { OWNER } from '${join(__dirname, 'publish/manifest.mjs')}';
      const pathsOf = (change) =>
        Object.fromEntries(FRAMEWORKS.map((framework) => [framework, pathOf(framework, change(pageOf(framework)))]));
      const paths = pathsOf((page) => page);
      const named = pathsOf(installedByName);
      const { isPublished } = OWNER;
      console.log(JSON.stringify({ paths, named, most: MOST_COMMANDS, texts: Object.fromEntries(pagesByName()), isPublished }));`,
    ],
    // All pages are more than a megabyte.
    { encoding: 'utf8', maxBuffer: 100_000_000 },
  ),
);

/** Expects that somebody who has installed the packages starts the example, and asks until it refuses. */
function expectFirst429({ commands, file, code }: Path): void {
  expect(commands.length).toBeLessThanOrEqual(most);
  expect(commands.at(-2)).toMatch(new RegExp(`^(?:node|npx tsx) ${file}$`));
  // One more than the example admits in a minute.
  expect(commands.at(-1)).toBe("curl -i 'http://localhost:3000/?[1-101]'");
  expect(code).toMatch(/limit: 100, window: '1m'/);
}

describe('the page of each framework leads from an empty folder to a first 429 in few commands', () => {
  it.each(Object.entries(paths))('%s, as it is', (name, path) => {
    expectFirst429(path);
    if (isPublished) return;
    expect(path.packing).toBe(
      `npm run bundle && npm pack --pack-destination /path/to/your/app ./dist/core ./dist/${name}`,
    );
    expect(path.commands[0]).toMatch(/^cd \/path\/to\/your\/app && npm install .*\.\/sluice-\*\.tgz$/);
  });

  it.each(Object.entries(named))('%s, by names', (name, path) => {
    expectFirst429(path);
    expect(path.packing).toBeUndefined();
    expect(path.commands[0]).toMatch(new RegExp(`^npm install .* @sluice/${name}$`));
  });
});

describe('pages that install by name', () => {
  it('are all that speak of packs, and speak of none', () => {
    const left = /not on npm|npm pack\b|sluice-\*\.tgz|\/path\/to\/your\/app/;
    // What a release does, and what it has been.
    const isAboutReleases = (page: string): boolean => page.startsWith('.config/') || page.endsWith('CHANGELOG.md');
    const found = Object.entries(texts).filter(([page, text]) => !isAboutReleases(page) && left.test(text));
    expect(found.map(([page]) => page)).toEqual([]);
  });

  it('name what other packages do not bring along', () => {
    expect(texts['README.md']).toContain('```sh\nnpm install express @sluice/express\n```');
    expect(texts['packages/redis/README.md']).toContain(
      '\n\n```sh\nnpm install express ioredis @sluice/express @sluice/redis\n```',
    );
    expect(texts['packages/server/README.md']).toContain('```sh\nnpm install @sluice/server\n```');
    expect(texts['packages/server/docs/running.md']).toContain(
      'under Node 20.19 or later.\n\n```sh\nmkdir -p /opt/sluice && cd /opt/sluice\nnpm init -y && npm install @sluice/cli @sluice/server\n',
    );
  });
});
