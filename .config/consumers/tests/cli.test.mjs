import { equal, match } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import test from 'node:test';

const npx = (...args) => ['npx', ['--no-install', ...args], { encoding: 'utf8' }];
const run = (...args) => execFileSync(...npx(...args));

test('npx runs the program, by both of its names', () => {
  match(run('sluice', '--help'), /^Usage: sluice /);
  equal(run('sluicectl', '--version'), run('sluice', '--version'));
});

test('A starter file is valid, and its mistakes are shown', () => {
  run('sluice', 'init', 'sluice.yaml', '--template', 'tiers');
  equal(run('sluice', 'validate'), '');
  match(run('sluice', 'explain', '--customer', 'acme'), /never more than 1,200 in any minute/);
  const broken = run('sluice', 'init', '-').replace('window: 1m', 'window: 1x');
  const [program, args, options] = npx('sluice', 'validate', '-');
  const { status, stdout } = spawnSync(program, args, { ...options, input: broken });
  equal(status, 1);
  match(stdout, /^<stdin>:\d+:\d+: error: policies\.api\.limits\[0\]\.window /);
});
