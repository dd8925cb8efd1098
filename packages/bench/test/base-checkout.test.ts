import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkOut } from '../src/base-checkout.js';

let repository: string;

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8' }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(join(repository, path, '..'), { recursive: true });
  writeFileSync(join(repository, path), text);
}

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'sluice-bench-test-'));
  git('init', '--quiet');
  write('.gitignore', 'node_modules\n');
  write('packages/core/version', 'old');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  write('packages/core/version', 'new');
  git('commit', '--quiet', '--all', '--message', 'Go on');
  write('node_modules/peer/index.js', 'peer');
  write('node_modules/@sluice/core/version', 'new');
  write('packages/core/node_modules/inner/index.js', 'inner');
});

afterEach(() => {
  rmSync(repository, { recursive: true, force: true });
});

describe('the checkout of an older commit', () => {
  it('has the files of that commit, its own packages, and what is installed here', async () => {
    const { folder, title, remove } = await checkOut(repository, 'HEAD~1');
    try {
      const read = (path: string) => readFileSync(join(folder, path), 'utf8');
      expect(title).toMatch(/^[0-9a-f]{4,} Begin$/);
      expect(read('packages/core/version')).toBe('old');
      expect(read('node_modules/@sluice/core/version')).toBe('old');
      expect(read('node_modules/peer/index.js')).toBe('peer');
      expect(read('packages/core/node_modules/inner/index.js')).toBe('inner');
      expect(realpathSync(join(folder, 'node_modules/@sluice/core'))).toBe(realpathSync(join(folder, 'packages/core')));
    } finally {
      await remove();
    }
  });

  it('leaves nothing behind, and what is installed here as it is', async () => {
    const { folder, remove } = await checkOut(repository, 'HEAD~1');
    await remove();
    expect(existsSync(folder)).toBe(false);
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(readFileSync(join(repository, 'node_modules/peer/index.js'), 'utf8')).toBe('peer');
    expect(readFileSync(join(repository, 'packages/core/node_modules/inner/index.js'), 'utf8')).toBe('inner');
  });

  it.each(['no-such-commit', '--version', 'HEAD:packages'])('is refused for %s', async (ref) => {
    await expect(checkOut(repository, ref)).rejects.toThrow(`There is no commit ${ref}`);
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});
