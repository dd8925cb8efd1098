// Runs the recipes for Workers, Deno and Bun as they stand on the page of frameworks, over a network.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { examine } from '../frameworks/questions.mjs';
import { recipesOf } from '../recipes-on-page.mjs';
import { bundle } from './bundle.mjs';
import { COMMANDS, inWorkerd } from './runtimes.mjs';

const PACKAGE = fileURLToPath(new URL('../../packages/fetch/', import.meta.url));

/** Has a server listen on a free port, which it prints. */
const ON_A_FREE_PORT = {
  Deno: `
    const { serve } = Deno;
    Deno.serve = (handler) => {
      const { addr } = serve({ hostname: '127.0.0.1', port: 0, onListen() {} }, handler);
      console.log(addr.port);
    };
  `,
  Bun: `
    const { serve } = Bun;
    Bun.serve = (options) => console.log(serve({ ...options, hostname: '127.0.0.1', port: 0 }).port);
  `,
};

/** Returns the recipe under a heading, as a bundle. */
async function recipeOf(heading, banner = '') {
  const [contents] = recipesOf(heading);
  const stdin = { contents, loader: 'ts', resolveDir: PACKAGE };
  return (await bundle(undefined, { stdin, banner: { js: banner } })).code;
}

/** Asks as often as the recipes admit, and once more. Returns how many were answered with each status. */
async function statusesOf(fetch, url) {
  const statuses = {};
  for (let i = 0; i <= 100; i += 1) {
    const { status } = await fetch(url, { headers: { 'cf-connecting-ip': '203.0.113.7' } });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** Clients differ by the address of their connection: all of the loopback network are this machine's. */
const clientOf = (i) => ({ localAddress: `127.0.0.${i}` });

/** Runs the recipe of a runtime with a command line, whose file is written to `path`. Returns what of its answers has passed and failed. */
async function serving(runtime, path) {
  await writeFile(path, await recipeOf(runtime, ON_A_FREE_PORT[runtime]));
  const [program, ...args] = COMMANDS[runtime];
  const server = spawn(program, [...args, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(server.stdout.setEncoding('utf8'), 'data');
    return await examine(clientOf, { hello: '/', says: /^hello$/ }, Number(port));
  } finally {
    server.kill();
  }
}

/** Runs the recipe of Workers, which is asked without a network. */
async function inWorker() {
  const code = await recipeOf('Workers');
  const statuses = await inWorkerd(code, [], (fetch) => statusesOf(fetch, 'http://worker.example/'));
  return isDeepStrictEqual(statuses, { 200: 100, 429: 1 })
    ? { passed: 1, failures: [] }
    : { passed: 0, failures: [`it answers with ${JSON.stringify(statuses)}`] };
}

/** Runs the recipe of a runtime. Returns how many checks have passed, and what has failed. */
export const playRecipe = (runtime, path) => (runtime === 'Workers' ? inWorker() : serving(runtime, path));
