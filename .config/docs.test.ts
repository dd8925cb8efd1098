import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { transformSync } from '@swc/core';

const ROOT = join(__dirname, '..');

/** The pages whose `ts` blocks have to run as they stand. */
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'packages')).flatMap((name) => pagesOf(join('packages', name))),
].sort();

function pagesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.md') && !/node_modules|dist|vectors/.test(path));
}

interface Block {
  readonly line: number;
  readonly code: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ index, 1: code }) => ({
    line: text.slice(0, index).split('\n').length,
    code: code as string,
  }));
}

async function run(code: string): Promise<void> {
  const { code: script } = transformSync(code, {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true },
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  });
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  await new AsyncFunction('require', 'exports', script)(require, {});
}

/** Servers that a block starts listen on a free port, whatever it says, and are closed after it. */
const servers: Server[] = [];
const listen = Server.prototype.listen;

beforeEach(() => {
  jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    servers.push(this);
    const onListening = args.find((arg) => typeof arg === 'function');
    return Reflect.apply(listen, this, [0, '127.0.0.1', ...(onListening ? [onListening] : [])]);
  });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

describe('the decision records', () => {
  const FOLDER = join(ROOT, 'packages/core/docs/decisions');
  const records = readdirSync(FOLDER)
    .filter((file) => file !== 'README.md')
    .sort();

  it('have a number of their own each', () => {
    const numbers = records.map((file) => file.slice(0, 4));
    expect(numbers.filter((number) => !/^\d{3}-$/.test(number))).toEqual([]);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('are listed by their titles', () => {
    const [, ...list] = readFileSync(join(FOLDER, 'README.md'), 'utf8').split(/^- /m);
    const titles = records.map((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n')[0]?.replace('# ', ''));
    expect(list.map((line) => line.trim())).toEqual(
      records.map((file, i) => `${file.slice(0, 3)} [${titles[i]}](${file})`),
    );
  });
});

describe.each(PAGES)('%s', (page) => {
  const blocks = blocksOf(page);

  it('links to files that are there', () => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(({ 1: link }) =>
      join(ROOT, page, '..', link as string),
    );
    const missing = links.filter((link) => !existsSync(link)).map((link) => relative(ROOT, link));
    expect(missing).toEqual([]);
  });

  for (const { line, code } of blocks) {
    it(`runs the code at line ${line}`, () => run(code));
  }
});
