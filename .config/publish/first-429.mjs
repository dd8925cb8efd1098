// Takes the path of a stranger: in an empty folder, runs the commands of a framework's page as they stand there, from installing the
// packs to the first refusal. npm run proof -- first-429
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './published.mjs';

export const FRAMEWORKS = ['express', 'fastify', 'nestjs', 'hono', 'koa', 'fetch'];

/** A stranger has one more to go. */
export const MOST_COMMANDS = 5;

/** Ends what hangs. */
const LIMIT_MS = 300_000;

const section = (page, heading) => new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## )`, 'm').exec(page)?.[1] ?? '';
const linesOf = (text) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, lines]) => lines.trim().split('\n'));
const wordsOf = (text) => [...text.matchAll(/`((?:node|curl) [^`]+)`/g)].map(([, command]) => command);

export const pageOf = (framework) => readFileSync(join(ROOT, 'packages', framework, 'README.md'), 'utf8');

/**
 * Returns what the page of a framework says: the command that packs, in this repository, unless packages are installed by name; the commands in the folder of the app, from
 * installing to asking; and the example with the name of its file.
 */
export function pathOf(framework, page = pageOf(framework)) {
  const lines = linesOf(section(page, 'Install'));
  const [packing] = lines[0].startsWith('npm run bundle') ? lines.splice(0, 1) : [];
  const example = section(page, 'Example').split(/(?<=^```ts\n[\s\S]*?^```\n)/m, 1)[0];
  const [, code = ''] = /^```ts\n([\s\S]*?)^```/m.exec(example) ?? [];
  const text = section(page, 'Example').replaceAll(/^```ts\n[\s\S]*?^```/gm, '');
  const commands = [...lines, ...linesOf(text), ...wordsOf(text)];
  const [, file = ''] = /[sS]ave it as\s+`(app\.m[jt]s)`/.exec(text) ?? [];
  return { packing, commands, file, code };
}

/** Returns a port that nobody has. The page has 3000, which another program may have. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Returns the standard output of a command. */
const run = (command, cwd) =>
  execFileSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });

/** Asks, as the page says, until the app answers. By itself, curl goes on after requests that cannot connect, and says nothing of them. */
async function askWhenReady(command, cwd, app) {
  const endMs = performance.now() + LIMIT_MS;
  while (performance.now() < endMs && app.exitCode === null) {
    try {
      return run(`${command} --silent --fail-early`, cwd);
    } catch (error) {
      // curl could not connect.
      if (error.status !== 7) throw error;
      await pause(50);
    }
  }
  throw new Error('The app does not answer');
}

/** Starts an app, and asks. The program that starts may start others, which all end here. */
async function startAndAsk(start, ask, cwd) {
  const app = spawn('sh', ['-c', start], { cwd, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const ended = once(app, 'exit');
  try {
    return await askWhenReady(ask, cwd, app);
  } finally {
    if (app.exitCode === null) process.kill(-app.pid, 'SIGKILL');
    await ended;
  }
}

/** Prints what happens from the first command in the empty folder to the first refusal, and how long it takes. */
async function go(framework, folder) {
  const { packing, commands, file, code } = pathOf(framework);
  const app = join(folder, framework);
  mkdirSync(app);
  const port = await freePort();
  const here = (text) => text.replaceAll('/path/to/your/app', app).replaceAll('3000', port);
  // The bundles of all packages are there.
  if (packing) run(here(packing.replace('npm run bundle && ', '')), ROOT);
  const [ask, start] = commands.toReversed();
  const startMs = performance.now();
  writeFileSync(join(app, file), here(code));
  for (const command of commands.slice(0, -2)) run(here(command), app);
  const answers = await startAndAsk(here(start), here(ask), app);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  // The text of a response may have no end of line.
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  const isRefused = statuses.at(-1) === 429 && statuses.slice(0, -1).every((status) => status === 200);
  if (!isRefused) throw new Error(`${framework}: no first 429 but ${statuses}`);
  console.log(`first 429: ${framework}: ${commands.length} commands, ${seconds} s`);
}

if (process.argv[1] === import.meta.filename) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-first-429-'));
  try {
    run('npm run bundle', ROOT);
    for (const framework of FRAMEWORKS) await go(framework, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
