import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

  it('refuses a commit that does not exist', () => {
    expect(() => checkOut(repository, 'nowhere')).toThrow('There is no commit nowhere');
  });
});
