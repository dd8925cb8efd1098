import { chmodSync } from 'node:fs';
import { type OwnPlace, ServerProgram } from './server-program.js';

/** Folders that nginx would look for where only a server of the machine may write. */
const NGINX_FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/**
 * Starts an nginx with two workers.
 *
 * @param http - the text of the `http` block, such as a file of `conf.d`. It listens on `127.0.0.1:${own.port}`.
 * @param mostFiles - how many files and connections each worker may have open
 */
export function startNginx(http: (own: OwnPlace) => string, mostFiles = 8192): Promise<ServerProgram> {
  const folders = NGINX_FOLDERS.map((name) => `${name}_temp_path ${name};`).join(' ');
  return ServerProgram.start({
    program: 'nginx',
    args: ({ folder }) => ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'],
    files: (own) => {
      // Its workers are nobody where root starts it.
      chmodSync(own.folder, 0o755);
      return {
        'nginx.conf': `daemon off; pid nginx.pid; error_log error.log warn; worker_processes 2; worker_rlimit_nofile ${mostFiles};
events { worker_connections 4096; }
http { ${folders} access_log access.log;
${http(own)}
}`,
      };
    },
    readyPath: null,
  });
}

/** Starts an HAProxy with `haproxy.cfg`. @param files - that file, and those that it names, by their names. */
export function startHaproxy(
  files: (own: OwnPlace) => Readonly<Record<string, string>>,
  mostFiles?: number,
): Promise<ServerProgram> {
  return ServerProgram.start({
    program: 'haproxy',
    args: () => ['-db', '-f', 'haproxy.cfg'],
    files,
    mostFiles,
    readyPath: null,
  });
}

/** Starts a Caddy. @param caddyfile - the text of its `Caddyfile`. */
export function startCaddy(caddyfile: (own: OwnPlace) => string, mostFiles?: number): Promise<ServerProgram> {
  return ServerProgram.start({
    program: 'caddy',
    args: () => ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
    files: (own) => ({ Caddyfile: caddyfile(own) }),
    mostFiles,
    readyPath: null,
    // It keeps certificates and its last configuration there.
    env: ({ folder }) => ({ XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }),
  });
}
