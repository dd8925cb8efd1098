import { readPolicyFile, readPolicyFileInSlices } from '@sluice/config';

/**
 * Measures how long policy files take: 100,000 customers in several forms, and hostile texts. It prints a line for each.
 */

const CUSTOMERS = 100_000;

const HEAD = `version: 1
keys: { customer: { header: x-api-key } }
tiers: { free: { minute: { limit: 60, window: 1m } }, pro: { minute: { limit: 600, window: 1m } } }
policies: { api: { key: customer, tier: { from: customers, default: free }, limits: [{ name: minute, tier: true }] } }
`;

const listed = (line) => Array.from({ length: CUSTOMERS }, (_, i) => line(i)).join('');

const head = {
  version: 1,
  keys: { customer: { header: 'x-api-key' } },
  tiers: { free: { minute: { limit: 60, window: '1m' } }, pro: { minute: { limit: 600, window: '1m' } } },
  policies: {
    api: { key: 'customer', tier: { from: 'customers', default: 'free' }, limits: [{ name: 'minute', tier: true }] },
  },
};
const customers = Object.fromEntries(
  Array.from({ length: CUSTOMERS }, (_, i) => [`customer-${i}`, { tier: i % 2 ? 'pro' : 'free' }]),
);

const FILES = {
  'one line each': `${HEAD}customers:\n${listed((i) => `  customer-${i}: { tier: pro }\n`)}`,
  'two lines each': `${HEAD}customers:\n${listed((i) => `  customer-${i}:\n    tier: pro\n`)}`,
  'named by hashes': `${HEAD}customers:\n${listed((i) => `  sha256:${i.toString(16).padStart(64, '0')}: { tier: pro }\n`)}`,
  JSON: JSON.stringify({ ...head, customers }),
  'JSON with lines': JSON.stringify({ ...head, customers }, undefined, 2),
};

const HOSTILE = {
  'alias bomb': `version: 1\nb0: &b0 [x]\n${Array.from({ length: 9 }, (_, i) => `b${i + 1}: &b${i + 1} [${`*b${i},`.repeat(9)}]\n`).join('')}`,
  '10 MB': `version: 1\n# ${'x'.repeat(10_000_000)}`,
  'a million keys': `version: 1\nkeys:\n${Array.from({ length: 1_000_000 }, (_, i) => ` ${i.toString(36)}:\n`).join('')}`,
  'a million customers': `version: 1\ncustomers:\n${Array.from({ length: 1_000_000 }, (_, i) => ` ${i.toString(36)}:\n`).join('')}`,
  'names of prototypes': '{ "version": 1, "__proto__": { "accept": "x" }, "policies": { "constructor": {} } }',
  'deep nesting': `version: ${'['.repeat(900_000)}`,
};

/** Time of the processor tells more than time of the clock on a machine that does other things, too. */
function timed(read) {
  const [begin, usage] = [performance.now(), process.cpuUsage()];
  const { file, mistakes } = read();
  const { user, system } = process.cpuUsage(usage);
  const time = `${Math.round(performance.now() - begin)} ms (${Math.round((user + system) / 1000)} ms of the processor)`;
  return { time, file, mistakes };
}

const print = (text) => process.stdout.write(`policy files: ${text}\n`);

for (const [name, text] of Object.entries(FILES)) {
  const { time, file } = timed(() => readPolicyFile(text));
  if (file?.customers.size !== CUSTOMERS) throw new Error(`${name}: ${file?.customers.size} customers`);
  print(`${CUSTOMERS} customers, ${name} (${(text.length / 1e6).toFixed(1)} MB): ${time}`);
}

let [longestMs, last] = [0, performance.now()];
const turn = () => {
  longestMs = Math.max(longestMs, performance.now() - last);
  last = performance.now();
};
await readPolicyFileInSlices(FILES['one line each'], {
  pause: () => new Promise((resolve) => setImmediate(resolve)).then(turn),
});
turn();
print(`the longest stall while 100,000 customers are read in slices: ${Math.round(longestMs)} ms`);

for (const [name, text] of Object.entries(HOSTILE)) {
  const { time, mistakes } = timed(() => readPolicyFile(text));
  if (mistakes === undefined) throw new Error(`${name} was not refused`);
  print(`${name} is refused in ${time}`);
}
