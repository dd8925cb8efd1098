import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { type ServerOptions, ServerProgram } from '@sluice/test-kit/debian/server-program';
import { until } from '@sluice/test-kit/until';

// A suite without it fails once and as a whole.
debianProgram('prometheus-alertmanager');

const ALERTMANAGER: ServerOptions = {
  program: 'prometheus-alertmanager',
  args: ({ port }) => [
    '--config.file=config.yml',
    '--storage.path=data',
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ],
  files: () => ({ 'config.yml': 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n' }),
  readyPath: '/-/ready',
};

/** True if no answer comes for a moment. */
async function isSilent(url: string): Promise<boolean> {
  const asked = fetch(`${url}/-/healthy`, { signal: AbortSignal.timeout(100) });
  return asked.then(
    () => false,
    () => true,
  );
}

describe('A server program', () => {
  let server: ServerProgram | undefined;

  afterEach(() => server?.stop());

  it('is ready when it is started, freezes, and leaves nothing when it is stopped frozen', async () => {
    server = await ServerProgram.start(ALERTMANAGER);
    const { folder, url } = server;
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
    server.signal('SIGSTOP');
    await until(() => isSilent(url), 10);
    await server.stop();
    await expect(fetch(`${url}/-/healthy`)).rejects.toThrow();
    expect(existsSync(folder)).toBe(false);
  });

  it('fails with what it has written if it ends at once', async () => {
    const broken = { ...ALERTMANAGER, files: () => ({ 'config.yml': 'rout: {}' }) };
    await expect(ServerProgram.start(broken)).rejects.toThrow(/has ended: .*rout/s);
  });
});
