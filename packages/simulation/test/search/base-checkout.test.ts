import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { checkOut } from '../../src/search/base-checkout.js';

describe('checkOut', () => {
  let repository: string;
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: repository, encoding: 'utf8' });
  const commit = (text: string): void => {
    writeFileSync(join(repository, 'code.txt'), text);
    git('add', '.');
    git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', 'commit', '--quiet', '--message', text);
  };

  beforeAll(() => {
    repository = mkdtempSync(join(tmpdir(), 'repository-'));
    git('init', '--quiet');
    commit('old');
    commit('new');
  });
  afterAll(() => rmSync(repository, { recursive: true }));

  it('has the files of the commit until it is removed', () => {
    const { folder, title, remove } = checkOut(repository, 'HEAD~1');
    expect(readFileSync(join(folder, 'code.txt'), 'utf8')).toBe('old');
    expect(title).toMatch(/^[0-9a-f]+ old$/);
    remove();
    expect(existsSync(folder)).toBe(false);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('is removed when its process ends', async () => {
    const outfile = join(repository, 'program.cjs');
    const source = join(__dirname, '../../src/search/base-checkout.ts');
    const contents = `
      import { build } from 'esbuild';
import { checkOut } from ${JSON.stringify(source)};
      console.log(checkOut(${JSON.stringify(repository)}, 'HEAD').folder);
      process.exit(7);
    `;
    const stdin = { contents, resolveDir: __dirname };
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
    const { status, stdout } = spawnSync(process.execPath, [outfile], { encoding: 'utf8' });
    expect(status).toBe(7);
    expect(stdout).toContain('sluice-base-');
    expect(existsSync(dirname(stdout.trim()))).toBe(false);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('refuses a commit that does not exist', () => {
    expect(() => checkOut(repository, 'nowhere')).toThrow('There is no commit nowhere');
  });
});
