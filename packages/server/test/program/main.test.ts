import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { until } from '@sluice/test-kit/until';
import { RealServer, type ServerProcess } from './real-server.js';

const FILE = 'version: 1\npolicies: { api: { limits: [{ limit: 3, window: 1m }] } }\n';
const BROKEN = 'version: 1\npolicies: { api: { limits: [{ limit: -3, window: 1x }] } }\n';
const SECRET = '00112233445566778899aabbccddeeff';

let program: RealServer;

beforeAll(async () => {
  program = await RealServer.build();
  program.write('sluice.yaml', FILE);
  program.write('broken.yaml', BROKEN);
});

afterAll(() => program.remove());

const statusOf = async (port: number, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status;

async function endOf(started: ServerProcess): Promise<{ exitCode: number | null; out: string; err: string }> {
  const { exitCode } = await started.ended;
  return { exitCode, out: started.out, err: started.err };
}

describe('the program at its start', () => {
  it('prints help, and ends with 0', async () => {
    const help = await endOf(program.start(['--help']));
    expect(help).toMatchObject({ exitCode: 0, out: expect.stringContaining('--grpc-port <port>'), err: '' });
  });

  it('tells what is wrong with flags and with the policy file at once, and ends with 2', async () => {
    const { exitCode, out, err } = await endOf(program.start(['broken.yaml', '--port', 'x', '--store', 'redis://h']));
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err.split('\n').map((line) => line.slice(0, 30))).toEqual([
      'error: --port must be a whole ',
      'error: --store needs --secret-',
      expect.stringMatching(/^error: broken.yaml:2:\d+ polici/),
      expect.stringMatching(/^error: broken.yaml:2:\d+ polici/),
      '',
    ]);
  });

  it('says how to install what its store needs, and ends with 2', async () => {
    const env = { SLUICE_SECRET: SECRET };
    program.uninstall('pg');
    const ends = [endOf(program.serve('sluice.yaml', ['--store', 'postgres://u:sesame@h/d'], env))];
    const needs = ['pg, which is not installed: npm install pg'];
    if (!process.getBuiltinModule?.('node:sqlite')) {
      program.uninstall('libsql');
      ends.push(endOf(program.serve('sluice.yaml', ['--store', 'sqlite:limits.db'], env)));
      needs.push('libsql, which is not installed, or Node 22.13 or later: npm install libsql');
    }
    expect(await Promise.all(ends)).toEqual(
      needs.map((need) => ({ exitCode: 2, out: '', err: `error: --store needs ${need} (SLUICE_OPTION)\n` })),
    );
  });

  it('ends with 3 if only the policy file is wrong', async () => {
    expect(await endOf(program.serve('none.yaml'))).toEqual({
      exitCode: 3,
      out: '',
      err: 'error: none.yaml cannot be read: ENOENT (SLUICE_SOURCE)\n',
    });
  });

  it('says what to set if it can make no file for its tokens, and ends with 2', async () => {
    const { exitCode, err } = await endOf(program.serve('sluice.yaml', [], { TMPDIR: '/no/such/folder' }));
    const what = 'no file for tokens of the admin port can be made in /no/such/folder (ENOENT)';
    expect(exitCode).toBe(2);
    expect(err).toBe(
      `error: ${what}: set --read-token-file and --write-token-file, SLUICE_READ_TOKEN and SLUICE_WRITE_TOKEN, or TMPDIR (SLUICE_OPTION)\n`,
    );
  });
});

describe('the program at a signal', () => {
  it('drains at SIGTERM: it is not ready at once, answers meanwhile, and ends with 0', async () => {
    const started = program.serve('sluice.yaml', ['--drain-delay', '1500ms', '--drain-deadline', '2s']);
    const { traffic, admin } = await started.ready();
    expect(await statusOf(traffic, '/readyz')).toBe(200);
    started.signal('SIGTERM');
    await started.logged('draining');
    const asked = [statusOf(traffic, '/readyz'), statusOf(admin, '/readyz'), statusOf(traffic, '/livez')];
    expect(await Promise.all(asked)).toEqual([503, 503, 200]);
    expect(await started.ended).toEqual({ exitCode: 0, signal: null });
    expect(started.log.at(-1)?.msg).toBe('drained');
    expect(started.err).toBe('');
  });

  it('reads the policy file at SIGHUP, and goes on with the former one if it has mistakes; a second signal ends it at once, with 1', async () => {
    program.write('changing.yaml', FILE);
    const started = program.serve('changing.yaml', ['--drain-delay', '1h']);
    await started.ready();
    program.write('changing.yaml', BROKEN);
    started.signal('SIGHUP');
    expect(await started.logged('the policy file was read')).toMatchObject({ outcome: 'rejected', signal: 'SIGHUP' });
    expect(await started.logged('the policies are rejected: the former ones go on')).toMatchObject({
      mistakes: expect.arrayContaining([expect.objectContaining({ line: 2 })]),
    });
    started.signal('SIGTERM');
    await started.logged('draining');
    started.signal('SIGINT');
    expect(await started.ended).toEqual({ exitCode: 1, signal: null });
    expect(started.log.at(-1)?.msg).toBe('a second signal: ending at once');
    const { file } = await started.logged('the tokens of the admin port are in this file, until the program ends');
    expect(existsSync(String(file))).toBe(false);
  });

  it('starts without Redis, is ready and degraded, and goes on if nobody reads its log; with --store-required it ends with 1', async () => {
    const redis = ['--store', `redis://:sesame@127.0.0.1:${await freePort()}`];
    const env = { SLUICE_SECRET: SECRET };
    const required = endOf(program.serve('sluice.yaml', [...redis, '--store-required'], env));
    const started = program.serve('sluice.yaml', [...redis, '--drain-delay', '0', '--drain-deadline', '2'], env);
    const { traffic } = await started.ready();
    expect(await statusOf(traffic, '/readyz')).toBe(200);
    expect(started.log.map(({ msg }) => msg)).toContain(
      'the store cannot be used: the service starts degraded, and each instance counts by itself',
    );
    expect(started.out + started.err).not.toContain('sesame');
    started.child.stdout?.destroy();
    started.signal('SIGHUP');
    await until(async () => (await statusOf(traffic, '/livez')) === 200, 10);
    started.signal('SIGTERM');
    expect(await started.ended).toEqual({ exitCode: 0, signal: null });
    expect(await required).toMatchObject({
      exitCode: 1,
      out: expect.not.stringContaining('sesame'),
      err: expect.stringMatching(/^error: Redis did not answer within 5000 ms.*\(SLUICE_STORE\)\n$/),
    });
  });
});
