import { describe, expect, it } from '@jest/globals';
import { sluice } from './test-io.js';

describe('the program', () => {
  it('prints its help on request, and ends with 0', async () => {
    const { exitCode, out, err } = await sluice(['--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/^Usage: sluice /);
    expect(out).toContain('Exit codes:\n  0  fine\n');
  });

  it.each([
    ['no verb', []],
    ['an unknown verb', ['validat']],
    ['an unknown option', ['schema', '--jason']],
    ['an argument too many', ['schema', 'sluice.yaml']],
    ['two formats of validate', ['validate', '--format', 'github', '--json']],
    ['two formats of report', ['report', '--prometheus', 'http://localhost:9', '--markdown', '--json']],
  ])('ends with 2 for %s, and writes nothing to the standard output', async (_, args) => {
    const { exitCode, out, err } = await sluice(args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).not.toBe('');
  });

  it.each([
    ['diff', '-', '-'],
    ['validate', '-', '-'],
    ['replay', '-', '-'],
    ['block', 'api', '-', '-', '--for', '1h', '--reason', 'flood'],
  ])('ends with 2 if the standard input is named twice: %s', async (...args) => {
    const stdin = 'version: 1\npolicies: { api: { limits: [{ limit: 1, window: 1m }] } }\n';
    const { exitCode, out, err } = await sluice(args, { stdin });
    const message = 'error: the standard input (-) can be read only once\n';
    expect({ exitCode, out, err }).toEqual({ exitCode: 2, out: '', err: message });
  });

  it('shows no character of a message that would control a terminal', async () => {
    const { exitCode, err } = await sluice(['explain', 'a\u001B[2J.yaml']);
    expect({ exitCode, err }).toEqual({
      exitCode: 3,
      err: 'error: cannot read a\uFFFD[2J.yaml: there is no such file\n',
    });
  });

  it('names the verb that was meant', async () => {
    expect((await sluice(['shema'])).err).toContain('Did you mean schema?');
  });

  it.each<[string, { isTTY: boolean; env: Record<string, string> }, boolean]>([
    ['on a terminal', { isTTY: true, env: {} }, true],
    ['in a pipe', { isTTY: false, env: {} }, false],
    ['on a terminal with NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }, false],
    ['on a terminal with an empty NO_COLOR', { isTTY: true, env: { NO_COLOR: '' } }, true],
    ['on a terminal that can do nothing', { isTTY: true, env: { TERM: 'dumb' } }, false],
    ['in a pipe with FORCE_COLOR', { isTTY: false, env: { FORCE_COLOR: '1' } }, true],
    ['in a pipe with FORCE_COLOR=0', { isTTY: false, env: { FORCE_COLOR: '0' } }, false],
    ['with both NO_COLOR and FORCE_COLOR', { isTTY: true, env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
  ])('has colours or none %s', async (_, world, colors) => {
    const { out } = await sluice(['--help'], world);
    expect(out.includes('\u001B[')).toBe(colors);
  });
});
