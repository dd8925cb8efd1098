import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';

const running: ChildProcess[] = [];

/** A whole program as one script, from source: the tests need no build. */
export async function bundle(entryPoint: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    platform: 'node',
    conditions: ['@sluice/source'],
    // Nest names packages that are optional, and a client of Redis that no test starts is compiled for the machine.
    external: ['@nestjs/*', '@valkey/valkey-glide'],
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

/** Starts the program on a free port; resolves when its hints are printed. */
export async function start(program: string) {
  const child = spawn(process.execPath, ['-'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.push(child);
  child.stdin.end(program);
  const hints: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    hints.push(line);
    if (line.startsWith('Ctrl+C')) break;
  }
  const url = /http:\S+/.exec(hints[0] ?? '')?.[0] ?? '';
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  return { child, hints, url, exited };
}

/** Resolves with what the program prints, and its exit code. */
export async function runWith(program: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['-'], { env: { ...process.env, ...env } });
  running.push(child);
  child.stdin.end(program);
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { printed: out + errors, code };
}

/** Starts the program on a port that is taken. Resolves with what it prints, and its exit code. */
export async function startOnTaken(program: string) {
  const taken = createServer().listen(0);
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  try {
    return { ...(await runWith(program, { PORT: String(port) })), port };
  } finally {
    taken.close();
  }
}

/** Ends the programs that still run. */
export function stopAll(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}
