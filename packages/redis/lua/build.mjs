// Puts the Lua files into src/generated/scripts.ts. With --check, fails when that file is not what they make.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arithmeticOf, functionsIn } from './arithmetic.cjs';
import { inlined } from './inline.cjs';

const read = (name) => readFileSync(new URL(`${name}.lua`, import.meta.url), 'utf8');

const files = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.lua'))
  .map((file) => file.slice(0, -'.lua'.length));

/** The parts that a kernel is built on, as its file names them: `-- Uses: bucket`. */
const usedBy = (name) => [...read(name).matchAll(/^-- Uses: (\S+)$/gm)].map(([, part]) => part);

/** A file of the numeric path: the algorithms it decides, as it names them (`-- Decides: token-bucket`), and its function. */
function numericFunctionOf(name, i) {
  const text = read(name);
  const [, algorithms] = /^-- Decides: (.+)$/m.exec(text) ?? [];
  const [, decide] = /^local function (\w+)/m.exec(text) ?? [];
  return algorithms.split(' ').map((algorithm) => [algorithm, { part: name, decide, algorithmCode: i + 1 }]);
}

/** The file of an algorithm has its name, and makes its kernel. */
const KERNELS = Object.fromEntries(
  files.filter((name) => read(name).includes(`kernels['${name}']`)).map((name) => [name, [...usedBy(name), name]]),
);
const NUMERIC_FUNCTIONS = Object.fromEntries(
  files.filter((name) => read(name).startsWith('-- Decides: ')).flatMap(numericFunctionOf),
);

/** The parts by which a command decides about states, or corrects them. */
const OF_STATES = ['limits', 'KERNELS', 'limit-state', 'guarantee', 'reply', 'operation-record'];

/**
 * The parts of a command, in their order. `TIME` stands for the part that reads the time, `NUMERIC_FUNCTIONS` for the numeric
 * functions of the algorithms in a call, and `KERNELS` for their kernels.
 */
const COMMANDS = {
  consume: [
    'TIME',
    'NUMERIC_FUNCTIONS',
    'first-state',
    'single-request-path',
    'prelude',
    'states',
    'numeric-path',
    ...OF_STATES,
    'consume',
  ],
  adjust: ['TIME', 'first-state', 'prelude', 'states', ...OF_STATES, 'adjust'],
  block: ['TIME', 'first-state', 'prelude', 'states', 'block-list', 'block'],
  blocks: ['TIME', 'prelude', 'block-list', 'blocks'],
};

/** What the client writes or reads, too: the generated file exports these. */
const SHARED = {
  /** Replies to requests that no limit decides about. */
  TOO_LATE: -1,
  OUTSIDE_BOUNDS: -2,
  /** Also of other calls: a newer version has written a state that this one does not know. */
  UNKNOWN_FORM: -5,
  /** In a reply, in place of the numbers of a request: an error follows. */
  FAILED: -3,
  /** Before a reply that is repeated. */
  REPEATS: -4,
  /** The bits of a verdict's first number. Each but the first says that further numbers follow, or that the key is blocked by hand. */
  IS_ALLOWED: 1,
  HAS_RETRY: 2,
  HAS_DELAY: 4,
  HAS_FREE: 8,
  IS_OVER_QUOTA: 16,
  IS_BLOCKED: 32,
  HAS_BEGUN_BLOCK: 64,
  /** The results of a change. Records of changes have the last one, too. */
  APPLIED: 1,
  REPEATED: 2,
  EXPIRED: 3,
  OUT_OF_BOUNDS: 4,
  GIVEN_BACK: 5,
  /** Of a round of numeric requests: the most checks of a request; what marks a check with more numbers; and a long cost. */
  MOST_NUMERIC: 31,
  MORE: 8,
  LONG: 127,
};

/** By their names in the sources. A local of the script would have to be found anew by each function that uses it. */
const CONSTANTS = {
  ...SHARED,
  /** In place of a time: it never comes. Replies to decisions have no other negative numbers but at the beginning. */
  NEVER: -1,
  NO_CHECKS: 0,
  /** How many numbers are passed to a function of Lua at once: its stack is limited. */
  MOST_NUMBERS: 1000,
  /** The most checks of a numeric request that is decided without tables. */
  FEW: 3,
  /** How `struct` reads a round of numeric requests: its head, a check, what may follow, a number, and its head and first check. */
  ROUND_LAYOUT: "'<BBBi7i7'",
  CHECK_LAYOUT: "'<BBi7i7i7i7i7i7'",
  MORE_LAYOUT: "'<i7i7i7i7'",
  NUMBER_LAYOUT: "'<i7i7'",
  SINGLE_REQUEST_LAYOUT: "'<BBxi7i7BBi7i7i7i7i7i7'",
  /** The versions of what is kept. */
  FORMAT: 1,
  FORMAT_HEADED: 2,
  FORMAT_HELD: 3,
  /** What comes before a state of these versions: blockEndsMs and admittedMs; strikes, heldUntilMs and keptUntilMs. */
  HEAD: "'<Bi7i7'",
  HELD_HEAD: "'<Bi7i7i6i7i7'",
  /** Of a bucket: rates that are not known, and the least number in their place that is a time. */
  UNKNOWN: -1,
  LEAST_TIME: 1000000000000,
  /** What a capacity is multiplied by where it stands beside the units of a rate, which are less. */
  BESIDE: 65536,
  /** The end of a block without end. */
  FOREVER: functionsIn('block').constants.get('FOREVER_MS'),
  /** How long a key of it is kept: 100 years. */
  CENTURY_MS: 3155760000000,
  /** The most blocks that a list holds: MOST_BLOCKS of core. */
  MOST_BLOCKS: 10000,
  /** How states are kept: by Lua's struct, in so many bytes, of which a numeric decision often writes the tail alone. */
  BUCKET_LAYOUT: "'<Bi6i6i7i6'",
  BUCKET_BYTES: 26,
  FIXED_LAYOUT: "'<Bi6i7i7'",
  FIXED_BYTES: 21,
  FIXED_TAIL: "'<i7'",
  FIXED_TAIL_AT: "'14'",
  COUNTER_LAYOUT: "'<Bi6i7i7'",
  COUNTER_BYTES: 21,
  SLIDING_LAYOUT: "'<Bi7i7i6i6i7i7'",
  SLIDING_BYTES: 41,
  SLIDING_TAIL: "'<i7i7'",
  SLIDING_TAIL_AT: "'27'",
};

/** A text in which each line `-- Include: name` stands for the text of another part: it costs less than a function. */
const withIncludes = (name) => read(name).replace(/^ *-- Include: (\S+)$/gm, (_, part) => withIncludes(part));

/**
 * The text of a part. A line `-- Arithmetic: name` stands for the functions of core's arithmetic that the text uses, and a line
 * `-- Inline: statement` for what they do.
 */
const textOf = (name) => {
  const text = withIncludes(name);
  return inlined(
    text.replace(/^ *-- Arithmetic: (\S+)$/gm, (_, arithmetic) => arithmeticOf(arithmetic, text)),
    `${name}.lua`,
  );
};

/** Without comments, blank lines and indentation: what a server needs to be sent. */
const slim = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('--'))
    .join('\n')
    .replace(/\b[A-Z_]+\b/g, (word) => CONSTANTS[word] ?? word);

const parts = new Set([
  ...Object.values(NUMERIC_FUNCTIONS).map(({ part }) => part),
  ...Object.values(KERNELS).flat(),
  ...Object.values(COMMANDS).flat(),
]);
for (const part of ['time', 'clock']) parts.add(part);
parts.delete('TIME');
parts.delete('NUMERIC_FUNCTIONS');
parts.delete('KERNELS');
const constant = (name, value) => `export const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`;
const generated = [
  '// Made of lua/*.lua by lua/build.mjs: change those.\n',
  ...Object.entries(SHARED).map(([name, number]) => `export const ${name} = ${number};`),
  '',
  constant('PARTS', Object.fromEntries([...parts].map((part) => [part, slim(textOf(part))]))),
  constant('NUMERIC_FUNCTIONS', NUMERIC_FUNCTIONS),
  constant('KERNELS', KERNELS),
  constant('COMMANDS', COMMANDS),
].join('\n');

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
