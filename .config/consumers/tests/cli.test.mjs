import { equal, match } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('A log becomes a page with charts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  const [policy, log, page] = ['sluice.yaml', 'access.log', 'report.html'].map((name) => join(folder, name));
  writeFileSync(policy, 'version: 1\npolicies: { api: { limits: [{ limit: 2, window: 1m }] } }\n');
  const line = (second) => `192.0.2.1 - - [22/Nov/2026:19:0${second}:00 +0000] "GET / HTTP/1.1" 200 5 "-" "-"\n`;
  writeFileSync(log, [0, 0, 0, 1, 2, 2].map(line).join(''));
  const { requests } = JSON.parse(run('sluice', 'replay', policy, log, '--json', '--report', page));
  equal(requests.refused, 1);
  match(readFileSync(page, 'utf8'), /<data value="1" data-of="requests.refused">1<\/data>[\s\S]*<svg role="img"/);
  rmSync(folder, { recursive: true });
});
