import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { COMPOSE_RUN, redisProgram, SERVICE } from './redis-program.js';

/** A server that was started, as a process of this machine or in a container. */
export interface RedisProcess {
  /** Reaches the server itself, and does nothing when it has ended. */
  signal(name: NodeJS.Signals): Promise<unknown>;
  /** Resolves when it has ended, however it did. */
  readonly ended: Promise<unknown>;
}

type Variables = Readonly<Record<string, string>>;

/**
 * Starts a server on the loopback interface of this machine; of its files it may touch those in `folder`.
 *
 * @param variables - of the environment, for a program of this machine alone.
 */
export function startRedis(args: readonly string[], folder: string, variables?: Variables): RedisProcess {
  const program = redisProgram();
  if (!isInContainer()) return onMachine(program, args, variables);
  if (variables)
    throw new Error('A server in a container cannot be preloaded. Install one: sudo apt-get install redis-server');
  return inContainer(program, args, folder);
}

/** Whether servers are started in containers. */
export const isInContainer = (): boolean => basename(redisProgram()) === 'docker';

function onMachine(program: string, args: readonly string[], variables?: Variables): RedisProcess {
  const server = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...variables } });
  return {
    signal: async (name) => server.kill(name),
    ended: once(server, 'exit').catch(() => {}),
  };
}

/** The process here is docker's client, so signals go to the container: to the client, SIGSTOP and SIGKILL would leave the server running. */
function inContainer(docker: string, args: readonly string[], folder: string): RedisProcess {
  const name = `sluice-test-${randomUUID()}`;
  // What it writes into the folder belongs to whoever has to remove it.
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  const own = ['--name', name, '--user', user, '--volume', `${folder}:${folder}`];
  const client = spawn(docker, [...COMPOSE_RUN, ...own, SERVICE, ...args], { stdio: 'ignore' });
  return {
    signal: (signal) => promisify(execFile)(docker, ['kill', '--signal', signal, name]).catch(() => {}),
    ended: once(client, 'exit').catch(() => {}),
  };
}
