import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@sluice/core';
import { RealProgram } from './real-program.js';

/** `npm run proof` asks for the exact number. A machine of CI can be far slower. */
const IS_FULL = process.env.SLUICE_CLI === 'full';

let program: RealProgram;

beforeAll(async () => {
  program = await RealProgram.build();
  const file = (limit: number) => `version: 1\npolicies: { api: { limits: [{ limit: ${limit}, window: 1m }] } }\n`;
  writeFileSync(join(program.folder, 'old.yaml'), file(100));
  writeFileSync(join(program.folder, 'broken.yaml'), file(-1));
  const rollout = 'rollout: [{ from: 2026-12-01T00:00:00Z, enforce: 100% }]';
  writeFileSync(join(program.folder, 'soon.yaml'), file(100).replace('limits:', `${rollout}, limits:`));
  // The reader of a pipe has gone before all of these are written.
  const mistakes = Array.from({ length: 2000 }, (_, i) => `p${i}: 1\n`);
  writeFileSync(join(program.folder, 'large.yaml'), mistakes.join(''));
});

afterAll(() => program.remove());

describe('the program as a process', () => {
  it.each<[args: readonly string[], exitCode: number, out: RegExp]>([
    [['validate', 'old.yaml', '--json'], 0, /"valid": true/],
    [['validate', 'broken.yaml'], 1, /^broken.yaml:2:\d+: error: /],
    [['validate', '--jason'], 2, /^$/],
    [['explain', 'missing.yaml'], 3, /^$/],
  ])('ends %j with %d', async (args, exitCode, out) => {
    const ended = await program.run(...args);
    expect(ended).toMatchObject({ exitCode, signal: null, out: expect.stringMatching(out) });
    expect(ended.err === '').toBe(exitCode < 2);
  });

  it('takes a time without a zone for one of UTC, wherever it runs', async () => {
    const { out } = await program.shell('TZ=America/New_York "$@"', [
      'explain',
      'soon.yaml',
      '--at',
      '2026-11-30T23:00',
    ]);
    expect(out).toContain('It only counts: no request is refused. From 1 December 2026');
  });

  it.each<[what: string, args: readonly string[], afterMs: number]>([
    ['waits', ['validate', '-'], 600],
    ['computes', ['validate', 'large.yaml', 'large.yaml', 'large.yaml', 'large.yaml', '--json'], 350],
  ])('ends at once by Ctrl-C while it %s, and the shell says 130', async (what, args, afterMs) => {
    let sentMs = Number.NaN;
    const { out } = await program.shell('trap : INT; "$@"; echo "code $?"', args, async (pid) => {
      await systemClock.sleep(afterMs);
      sentMs = systemClock.now();
      process.kill(-pid, 'SIGINT');
    });
    expect(out).toBe('code 130\n');
    const elapsedMs = systemClock.now() - sentMs;
    process.stdout.write(IS_FULL ? `cli: Ctrl-C while it ${what} took ${elapsedMs} ms\n` : '');
    expect(elapsedMs).toBeLessThan(IS_FULL ? 200 : 5000);
  });

  it('is quiet if its reader goes away, and keeps its exit code', async () => {
    const { out, err } = await program.shell('{ "$@"; echo "code $?" >&2; } | head -c 20', ['validate', 'large.yaml']);
    expect(out).toHaveLength(20);
    expect(err).toBe('code 1\n');
  });

  it('says that its output cannot be written', async () => {
    if (!existsSync('/dev/full')) return;
    const { err } = await program.shell('"$@" >/dev/full; echo "code $?" >&2', ['schema']);
    expect(err).toMatch(/^sluice: the output cannot be written: .*\ncode 3\n$/);
  });
});
