// Runs what takes long to show, all or by name, and prints a line for each: npm run proof [-- name [option value] ...].
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PROOFS } from './proofs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What of the output is shown where a proof fails. */
const TAIL_LINES = 80;

/** What the shell takes as it is. */
const PLAIN = /^[\w.,:-]+$/;

/** Reads names, each with the options that follow it. Returns nothing if one of them is not known. */
function wantedOf(args) {
  const wanted = [];
  for (let i = 0; i < args.length; i += 1) {
    const [arg, value = ''] = args.slice(i);
    const last = wanted.at(-1);
    if (Object.hasOwn(PROOFS, arg)) wanted.push({ name: arg, options: [] });
    else if (last && Object.hasOwn(PROOFS[last.name].options ?? {}, arg) && PLAIN.test(value)) {
      last.options.push(arg, value);
      i += 1;
    } else return undefined;
  }
  return wanted;
}

const wanted = wantedOf(process.argv.slice(2));
if (!wanted) {
  console.error('Usage: npm run proof [-- name [option value] ...]\n');
  for (const [name, { shows, options = {} }] of Object.entries(PROOFS)) {
    console.error(`  ${name.padEnd(14)}${shows}`);
    for (const [option, value] of Object.entries(options)) console.error(`${' '.repeat(18)}${option} <${value}>`);
  }
  process.exit(2);
}

/** Runs a command to its end. */
async function run(command, env, isFollowed = false) {
  const child = spawn(command, { cwd: root, shell: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (isFollowed) process.stderr.write(text);
    });
  }
  const [code] = await once(child, 'close');
  return { hasPassed: code === 0, output };
}

async function prove({ name, options }) {
  const { command, env = {}, times = 1, figures, isFollowed } = PROOFS[name];
  const startMs = performance.now();
  const found = [];
  for (let time = 1; time <= times; time += 1) {
    const { hasPassed, output } = await run([command, ...options].join(' '), { ...env, ...process.env }, isFollowed);
    found.push(...Array.from(output.matchAll(figures), ([, text]) => text.replaceAll(/\s+/g, ' ')));
    // What shows nothing has not passed, either.
    if (hasPassed && found.length > 0) continue;
    console.error(output.split('\n').slice(-TAIL_LINES).join('\n'));
    return line(name, `failed, run ${time} of ${times}`, startMs, found);
  }
  return line(name, 'passed', startMs, found);
}

/** Prints the result. Equal figures of several runs are printed once. */
function line(name, result, startMs, found) {
  const counts = new Map();
  for (const text of found) counts.set(text, (counts.get(text) ?? 0) + 1);
  const figures = [...counts].map(([text, count]) => (count > 1 ? `${count} × ${text}` : text));
  console.log(`${name}: ${result}, ${Math.round((performance.now() - startMs) / 1000)} s: ${figures.join('; ')}`);
  return result === 'passed';
}

let hasFailed = false;
// One after another: each may need the whole machine.
const all = Object.keys(PROOFS).map((name) => ({ name, options: [] }));
for (const each of wanted.length > 0 ? wanted : all) {
  if (!(await prove(each))) hasFailed = true;
}
process.exitCode = hasFailed ? 1 : 0;
