import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

interface Path {
  readonly packing: string;
  readonly commands: readonly string[];
  readonly file: string;
  readonly code: string;
}

// The module is no CommonJS, so that another process loads it.
const { paths, most }: { paths: Record<string, Path>; most: number } = JSON.parse(
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { FRAMEWORKS, MOST_COMMANDS, pathOf } from '${join(__dirname, 'publish/first-429.mjs')}';
      const paths = Object.fromEntries(FRAMEWORKS.map((framework) => [framework, pathOf(framework)]));
      console.log(JSON.stringify({ paths, most: MOST_COMMANDS }));`,
    ],
    { encoding: 'utf8' },
  ),
);

it.each(Object.entries(paths))(
  'the page of %s leads from an empty folder to a first 429 in few commands',
  (name, path) => {
    const { packing, commands, file, code } = path;
    expect(packing).toBe(`npm run bundle && npm pack --pack-destination /path/to/your/app ./dist/core ./dist/${name}`);
    expect(commands.length).toBeLessThanOrEqual(most);
    expect(commands[0]).toMatch(/^cd \/path\/to\/your\/app && npm install .*\.\/sluice-\*\.tgz$/);
    expect(commands.at(-2)).toMatch(new RegExp(`^(?:node|npx tsx) ${file}$`));
    // One more than the example admits in a minute.
    expect(commands.at(-1)).toBe("curl -i 'http://localhost:3000/?[1-101]'");
    expect(code).toMatch(/limit: 100, window: '1m'/);
  },
);
