// Makes the project of an application as a user has it, builds it, serves it, and ends it by its own process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { install } from '../consumers/install.mjs';
import { freePort } from '../publish/first-429.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Ends what hangs. */
const BUILD_MS = 300_000;
const START_MS = 30_000;
const STOP_MS = 10_000;

/** Nothing of the environment but what a program needs, and nothing that asks another machine. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOST: '127.0.0.1',
  HOSTNAME: '127.0.0.1',
  DO_NOT_TRACK: '1',
  NEXT_TELEMETRY_DISABLED: '1',
};

/** What checks the types of a recipe. */
const TYPES = ['typescript', '@types/node'];
const TSC =
  'node_modules/typescript/bin/tsc --noEmit --strict --skipLibCheck --types node --target es2022 --lib es2023,dom,dom.iterable --module esnext --moduleResolution bundler';

/** Writes the project of an application into a folder. */
export function make(folder, { folder: name, packages, home = '', recipes, build }, packs) {
  cpSync(join(HERE, 'applications', name), folder, { recursive: true });
  for (const [file, code] of Object.entries(recipes)) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
    // Without a build, Node reads what a compiler makes of it.
    if (!build) writeFileSync(path.replace('.ts', '.mjs'), transformSync(code, { loader: 'ts' }).code);
  }
  const names = [...packages, ...TYPES, ...packs.map((pack) => pack.packageName)];
  const dependencies = Object.fromEntries(names.map((dependency) => [dependency, '*']));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type: 'module', dependencies }));
  install(folder, packs, dependencies, () => join('.config/frameworks', home && `node_modules/${home}`));
  cpSync(join(HERE, 'answers'), join(folder, 'node_modules/answers'), { recursive: true });
}

/** Starts Node in a folder, as a group of processes of its own. */
function start(folder, args, env) {
  const options = { cwd: folder, env: { ...ENVIRONMENT, HOME: folder, ...env }, detached: true };
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = { child, ended: once(child, 'exit'), output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      run.output += text;
    });
  }
  return run;
}

const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

/** Ends a process, and those that it has started, at once. */
function kill({ child }) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // None of them is left.
  }
}

/** Runs a program of Node to its end. */
async function run(folder, args) {
  const run = start(folder, args, {});
  const timer = setTimeout(kill, BUILD_MS, run);
  const [code] = await run.ended;
  clearTimeout(timer);
  kill(run);
  if (code !== 0) throw new Error(`${args[0]} has failed with ${code}:\n${run.output}`);
}

/** Checks the types of the recipes of an application, and builds it. */
export async function build(folder, { build: args, checksTypes, recipes }) {
  if (!checksTypes) await run(folder, [...TSC.split(' '), ...Object.keys(recipes)]);
  if (args) await run(folder, args);
}

/** Whether something listens on a port. */
const isOpen = (port) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

/** Serves an application while `work` asks it, and returns how it ended after SIGTERM. */
export async function serving(folder, { start: args, env }, work) {
  const port = await freePort();
  const run = start(folder, args, { PORT: String(port), NODE_ENV: 'production', ...env });
  try {
    const endMs = performance.now() + START_MS;
    while (!(await isOpen(port))) {
      if (hasEnded(run.child) || performance.now() > endMs) throw new Error(`it does not start:\n${run.output}`);
      await pause(50);
    }
    await work(port);
    return await stop(run, port);
  } catch (error) {
    error.message += `\n${run.output}`;
    throw error;
  } finally {
    kill(run);
    await run.ended;
  }
}

/** Asks a server to end. It has to, and to leave its port. */
async function stop(run, port) {
  const startMs = performance.now();
  run.child.kill('SIGTERM');
  const ended = await Promise.race([run.ended, pause(STOP_MS, undefined, { ref: false })]);
  if (!ended) throw new Error(`it does not end within ${STOP_MS} ms after SIGTERM`);
  if (await isOpen(port)) throw new Error('it has ended, and something still listens on its port');
  return performance.now() - startMs;
}
