import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Mutant, mutantsOf } from '../../src/mutants/mutant.js';
import { ScratchCheckout } from '../../src/mutants/scratch/scratch-checkout.js';
import { typescriptChanges } from '../../src/mutants/typescript/typescript-changes.js';
import { SmallCheckout } from './small-checkout.js';

const CODE = 'export const isLess = (a: number, b: number) => a < b;\n';

let small: SmallCheckout;

beforeEach(() => {
  small = new SmallCheckout({ 'package.json': '{}', 'packages/a/package.json': '{}', 'packages/a/src/less.ts': CODE });
});

afterEach(() => small.remove());

const open = (): ScratchCheckout => ScratchCheckout.open(small.root, join(small.folder, 'copy'), small.files);
const read = (scratch: ScratchCheckout, file: string): string => readFileSync(join(scratch.root, file), 'utf8');

describe('A scratch checkout', () => {
  it('has the files of the original', () => {
    expect(read(open(), 'packages/a/src/less.ts')).toBe(CODE);
  });

  it('follows the original, and knows in which files', () => {
    expect(open().changed).toEqual(small.files);
    expect(open().changed).toEqual([]);
    small.write('packages/a/src/less.ts', `// New.\n${CODE}`);
    small.delete('packages/a/package.json');
    const scratch = open();
    expect(scratch.changed).toEqual(['packages/a/src/less.ts']);
    expect(read(scratch, 'packages/a/src/less.ts')).toBe(`// New.\n${CODE}`);
    expect(existsSync(join(scratch.root, 'packages/a/package.json'))).toBe(false);
  });

  it('shares packages from elsewhere, but has the own packages for itself', () => {
    small.install('node_modules/far/index.js', '');
    small.install('node_modules/@scope/far/index.js', '');
    small.install('packages/a/node_modules/near/index.js', '');
    small.link('node_modules/@sluice/a', '../../packages/a');
    const { root } = open();
    const led = (path: string): string => realpathSync(join(root, path));
    for (const path of ['node_modules/far', 'node_modules/@scope/far', 'packages/a/node_modules/near'])
      expect(led(path)).toBe(realpathSync(join(small.root, path)));
    expect(led('node_modules/@sluice/a')).toBe(led('packages/a'));
    expect(led('node_modules/@sluice/a')).not.toBe(realpathSync(join(small.root, 'packages/a')));
  });

  it('takes a mutant and gives it back, while the original stays as it is', () => {
    const scratch = open();
    const file = 'packages/a/src/less.ts';
    const [mutant] = mutantsOf(file, CODE, typescriptChanges(CODE)).filter(({ operator }) => operator === 'comparison');
    if (!mutant) throw new Error('There is a comparison');
    const hash = scratch.hashOf(file);
    scratch.apply(mutant);
    expect(read(scratch, file)).toBe(CODE.replace('<', '<='));
    expect(scratch.hashOf(file)).not.toBe(hash);
    scratch.restore();
    expect(read(scratch, file)).toBe(CODE);
    expect(readFileSync(join(small.root, file), 'utf8')).toBe(CODE);
  });

  const LUA = 'packages/redis/lua/less.lua';
  const SCRIPTS = 'packages/redis/src/generated/scripts.ts';

  const changed = (file: string, replacement: string): Mutant => ({
    ...{ id: 'a', file, line: 1, column: 8, operator: 'bound', before: '1', after: replacement, within: '' },
    ...{ start: 7, end: 8, replacement },
  });

  it.each([
    ['Lua', LUA],
    ['what makes them', 'packages/redis/lua/made.cjs'],
    ['the arithmetic in them', 'packages/core/src/algorithms/arithmetic/less.ts'],
  ])('makes the scripts of Redis anew for a mutant of %s', (_, file) => {
    small.write(file, 'return 1');
    small.write(SCRIPTS, 'return 1');
    small.write(
      'packages/redis/lua/build.mjs',
      `import { copyFileSync } from 'node:fs'; copyFileSync('${file}', '${SCRIPTS}');`,
    );
    const scratch = open();
    expect(scratch.apply(changed(file, '2'))).toBe(true);
    expect(read(scratch, SCRIPTS)).toBe('return 2');
    scratch.restore();
    expect(read(scratch, SCRIPTS)).toBe('return 1');
  });

  it('says when no scripts can be made with a mutant', () => {
    small.write(LUA, 'return 1');
    small.write(SCRIPTS, 'return 1');
    small.write(
      'packages/redis/lua/build.mjs',
      `import { readFileSync } from 'node:fs'; if (readFileSync('${LUA}', 'utf8') !== 'return 1') throw new Error('changed');`,
    );
    const scratch = open();
    expect(scratch.apply(changed(LUA, '2'))).toBe(false);
    scratch.restore();
    expect(read(scratch, LUA)).toBe('return 1');
  });
});
