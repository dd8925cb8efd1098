// Runs the suites of adapters and stores and the recipes in workerd, Deno and Bun, asks a Worker there what Node is asked, lets requests of one
// Worker meet, and proves the store of Durable Objects. In Deno and Bun, the suites also run over a network, with their own servers. Arguments
// name the parts: adapters, recipes, requests, objects. CI names another one, briefly: the Worker, its requests, and the suite of one adapter.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { bundle } from './bundle.mjs';
import { proveObjects } from './objects.mjs';
import { askAll } from './questions.mjs';
import { playRecipe } from './recipes.mjs';
import { proveRequests } from './requests.mjs';
import { COMMANDS, inWorkerd, versionOf } from './runtimes.mjs';

/** Options of a bundle that has the suite and its hosts with the client and the servers of a file. */
function servedBy(file) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const client = {
    name: 'client of the suite',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\/client\.js$/ }, ({ importer }) =>
        importer.includes('adapter-suite') ? { path } : undefined,
      ),
  };
  return { alias: { '@sluice/test-kit/serve-fetch': path }, plugins: [client] };
}

const WITHOUT_NETWORK = servedBy('served-in-process.mjs');

/** Of the server: it begins to handle a request of a connection when the former one has been answered. */
const NOT_PIPELINED = [
  / > frees the slot of a handler that waits for its response behind another one, when the client has left$/,
  / > frees the slots of pipelined requests when their connection ends$/,
];
/** Of Hono: its answer to HEAD has no body, for which these servers say the length 0. */
const LENGTH_OF_HEAD = /^Hono > .* > refuses HEAD with the same header fields as GET$/;
/** Of the server: it closes a connection on which there is a body that was not read. */
const UNREAD_BODY = / > refuses a request whose body was not read$/;

/** The tests that cannot pass over a network: whatever a handler does, with or without Sluice, these servers do otherwise than Node's. */
const OF_THE_SERVER = {
  Deno: [...NOT_PIPELINED, LENGTH_OF_HEAD, UNREAD_BODY],
  Bun: [...NOT_PIPELINED, LENGTH_OF_HEAD],
};

/** Runs a program in a runtime. Returns what it prints. */
async function results(runtime, path, ...names) {
  const [program, ...args] = COMMANDS[runtime];
  const { stdout } = await promisify(execFile)(program, [...args, path, ...names], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout);
}

/** Prints a line, and what has failed. */
function report(what, figures, failures) {
  console.log(`edge: ${what}: ${figures}`);
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
}

function reportSuites(runtime, { passed, leftOut, failures }) {
  const titles = Object.keys(failures);
  const listed = titles.map((title) => `${title}\n${failures[title]}`);
  if (passed === 0) listed.push('no test has run');
  report(runtime, `${passed} tests of suites passed, ${titles.length} failed, ${leftOut} left out`, listed);
}

/** Reports the suites over a network. What a server is known to do has to be so. */
function reportOverNetwork(runtime, name, { passed, failures }) {
  const known = OF_THE_SERVER[runtime];
  const titles = Object.keys(failures);
  const unknown = titles.filter((title) => !known.some((pattern) => pattern.test(title)));
  const missing = known.filter((pattern) => !titles.some((title) => pattern.test(title)));
  report(
    `${name} over a network`,
    `${passed} tests of suites passed, ${unknown.length} failed, ${titles.length - unknown.length} of its server`,
    [...unknown.map((title) => `${title}\n${failures[title]}`), ...missing.map((pattern) => `${pattern} passes`)],
  );
}

function reportAnswers(runtime, answers, expected) {
  const isSame = isDeepStrictEqual(answers, expected);
  const difference = `${JSON.stringify(answers)}\n${JSON.stringify(expected)}`;
  report(
    runtime,
    isSame ? 'a Worker answers as on Node' : 'a Worker answers in another way',
    isSame ? [] : [difference],
  );
}

/** Proves that a Worker answers as on Node, and the suites that are named, or all. */
async function proveWithoutNetwork(file, ...names) {
  const worker = await bundle('worker.mjs');
  await writeFile(file('worker.mjs'), worker.code);
  const { default: onNode } = await import(pathToFileURL(file('worker.mjs')));
  const expected = await askAll((url, init) => onNode.fetch(new Request(url, init)));
  const suites = await bundle('suites-in-worker.mjs', WITHOUT_NETWORK);
  const query = new URLSearchParams(names.map((name) => ['suite', name]));
  const run = async (fetch) => (await fetch(`http://worker.example/?${query}`)).json();
  for (const flags of [[], ['nodejs_compat']]) {
    const name = `workerd ${versionOf('workerd')} with${flags.length > 0 ? '' : 'out'} nodejs_compat`;
    reportAnswers(name, await inWorkerd(worker.code, flags, askAll), expected);
    reportSuites(name, await inWorkerd(suites.code, flags, run));
  }
  const program = await bundle('in-a-runtime.mjs', WITHOUT_NETWORK);
  await writeFile(file('program.mjs'), program.code);
  for (const runtime of Object.keys(COMMANDS)) {
    const { answers, ...tests } = await results(runtime, file('program.mjs'), ...names);
    reportAnswers(nameOf(runtime), answers, expected);
    reportSuites(nameOf(runtime), tests);
  }
}

/** Proves the suites over a network. */
async function proveOverNetwork(file) {
  const { code } = await bundle('in-a-runtime.mjs', servedBy('served-over-tcp.mjs'));
  await writeFile(file('networked.mjs'), code);
  for (const runtime of Object.keys(COMMANDS))
    reportOverNetwork(runtime, nameOf(runtime), await results(runtime, file('networked.mjs')));
}

const nameOf = (runtime) => `${runtime} ${versionOf(runtime.toLowerCase())}`;

async function proveRecipes(file) {
  for (const runtime of ['Workers', ...Object.keys(COMMANDS)]) {
    const { passed, failures } = await playRecipe(runtime, file(`${runtime}.mjs`));
    report(`the recipe of ${runtime}`, `${passed} passed, ${failures.length} failed`, failures);
  }
}

/** The parts, by the names that an argument may have. */
const PARTS = {
  async adapters(file) {
    await proveWithoutNetwork(file);
    await proveOverNetwork(file);
  },
  recipes: proveRecipes,
  requests: () => proveRequests(report),
  objects: (file) => proveObjects(report, reportSuites, file('objects')),
};

async function briefly(file) {
  await proveWithoutNetwork(file, 'fetch');
  await proveRequests(report);
}

const folder = await mkdtemp(join(tmpdir(), 'sluice-edge-'));
try {
  const [, , ...names] = process.argv;
  const parts = names.includes('briefly') ? { briefly } : PARTS;
  for (const [name, prove] of Object.entries(parts))
    if (names.length === 0 || names.includes(name)) await prove((path) => join(folder, path));
} finally {
  await rm(folder, { recursive: true });
}
