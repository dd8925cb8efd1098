import { equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';

/** Runs a program of the installed packages, as npx finds it. */
const run = (program, args, input = '') => spawnSync(`node_modules/.bin/${program}`, args, { encoding: 'utf8', input });

test('npx runs the program, by both of its names', () => {
  const { stdout } = spawnSync('npx', ['--no-install', 'sluice', '--help'], { encoding: 'utf8' });
  match(stdout, /^Usage: sluice /);
  equal(run('sluicectl', ['--help']).stdout, stdout);
});

test('A starter file is valid, and its mistakes are shown', () => {
  const file = run('sluice', ['init', '-', '--template', 'tiers']).stdout;
  const valid = run('sluice', ['validate', '-'], file);
  equal(valid.stdout + valid.stderr, '');
  equal(valid.status, 0);
  match(run('sluice', ['explain', '-', '--customer', 'acme'], file).stdout, /never more than 1,200 in any minute/);
  const broken = run('sluice', ['validate', '-'], file.replace('window: 1m', 'window: 1x'));
  equal(broken.status, 1);
  match(broken.stdout, /^<stdin>:\d+:\d+: error: tiers\.free\.minute\.window /);
});

test('A store is examined by the packages that are installed beside the program', () => {
  const { stdout, stderr, status } = run('sluice', ['doctor', '--store', 'sqlite:doctor.db']);
  equal(status, 0, stdout + stderr);
  match(stdout, /3 admitted, 2 refused/);
});
