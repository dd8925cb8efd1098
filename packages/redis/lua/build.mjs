// Joins the Lua files into src/generated/scripts.ts. With --check, fails when that file is not what they make.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const PARTS = [
  'prelude',
  'bucket',
  'token-bucket',
  'leaky-bucket',
  'sliding-window',
  'sliding-window-counter',
  'fixed-window',
  'concurrency',
  'arguments',
  'standing',
  'memory',
];
const COMMANDS = ['consume', 'adjust'];

const read = (name) => readFileSync(new URL(`${name}.lua`, import.meta.url), 'utf8');

/** Without comments, blank lines and indentation: what a server needs to be sent. */
const slim = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('--'))
    .join('\n');

const script = (command) => slim([...PARTS, command].map(read).join('\n'));
const constants = COMMANDS.map(
  (command) => `export const ${command.toUpperCase()} = ${JSON.stringify(script(command))};\n`,
);
const generated = `// Made of lua/*.lua by lua/build.mjs: change those.\n\n${constants.join('\n')}`;

const target = new URL('../src/generated/scripts.ts', import.meta.url);
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== generated) {
    console.error('src/generated/scripts.ts is stale: run npm run lua -w @sluice/redis');
    process.exit(1);
  }
} else {
  mkdirSync(new URL('.', target), { recursive: true });
  writeFileSync(target, generated);
}
