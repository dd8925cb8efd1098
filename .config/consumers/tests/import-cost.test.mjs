import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';

const LIMITS = JSON.parse(readFileSync('limits.json', 'utf8'));

/** Prints how many files the import of a package loads, and their size together. */
const LOADED = `
  import { statSync } from 'node:fs';
  import { Session } from 'node:inspector/promises';
  import { fileURLToPath } from 'node:url';
  const session = new Session();
  session.connect();
  await session.post('Debugger.enable');
  const urls = new Set();
  session.on('Debugger.scriptParsed', ({ params }) => params.url.startsWith('file:') && urls.add(params.url));
  await import(process.argv[1]);
  const bytes = [...urls].map((url) => statSync(fileURLToPath(url)).size);
  console.log(JSON.stringify({ files: bytes.length, kb: bytes.reduce((sum, size) => sum + size, 0) / 1000 }));
`;

/** Prints the milliseconds of a processor that the import takes. */
const TIME = `
  const before = process.cpuUsage();
  await import(process.argv[1]);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000);
`;

/** Runs a program in a fresh process, and returns what it prints. */
const run = (program, name) =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program, name], { encoding: 'utf8' }));

/** In turns, as both are to meet the same disturbances. Those only add: the least is what an import takes by itself. */
function leastTimes(names, rounds) {
  const least = names.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    names.forEach((name, index) => {
      least[index] = Math.min(least[index], run(TIME, name));
    });
  }
  return least;
}

test('An import of the Express package loads few files, and small ones', () => {
  const { files, kb } = run(LOADED, '@sluice/express');
  assert.ok(files <= LIMITS['import-files'], `${files} files`);
  assert.ok(kb <= LIMITS['import-kb'], `${kb} kB`);
});

test('An import of the Express package takes little more than one of express-rate-limit', () => {
  const [ours, theirs] = leastTimes(['@sluice/express', 'express-rate-limit'], 5);
  assert.ok(ours / theirs <= LIMITS['import-ratio'], `${ours} ms beside ${theirs} ms`);
});
