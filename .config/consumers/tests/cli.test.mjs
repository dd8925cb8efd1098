import { equal, match } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';

const run = (...args) => execFileSync('npx', ['--no-install', ...args], { encoding: 'utf8' });

test('npx runs the program, by both of its names', () => {
  match(run('sluice', '--help'), /^Usage: sluice /);
  equal(run('sluicectl', '--version'), run('sluice', '--version'));
});
