// What the start of a process takes in two checkouts, by stage: import, construction, the first decision, and the first hundred.
//
//   npx tsc -b && node packages/bench/measure/first-decisions.mjs FOLDER OTHER [processes] [core]
//
// Both folders are compiled checkouts with their dependencies. Each has 20 processes by default, in turn with the other, all on core 0.
// Each line has the lower quartile of a stage in both, in microseconds, and their ratio: on a busy machine, the median has the
// neighbours in it. The processor time is that of the main thread.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const [before, now, processes = '20', core = '0'] = process.argv.slice(2);

const PROGRAM = `
  import { readFileSync } from 'node:fs';
  const threadUs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e3;
  threadUs();
  const stages = [[performance.now(), threadUs()]];
  const ended = () => stages.push([performance.now(), threadUs()]);
  const { createLimiter, LIMIT: limitOf, MemoryStore } = await import('@sluice/core');
  ended();
  const limiter = createLimiter({ limit: limitOf(OPTIONS), store: new MemoryStore() });
  ended();
  // What the import has left to other threads has ended by then.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const tookUs = [];
  let firstUs = threadUs();
  for (let i = 0; i < 100; i += 1) {
    const key = Buffer.from(String(i).padStart(36, '0'), 'latin1').toString('latin1');
    const startMs = performance.now();
    limiter.consume(key);
    tookUs.push(1e3 * (performance.now() - startMs));
    if (i === 0) firstUs = threadUs() - firstUs;
  }
  ended();
  const [start, imported, made, decided] = stages;
  console.log(JSON.stringify({
    'import': 1e3 * (imported[0] - start[0]),
    'construction': 1e3 * (made[0] - imported[0]),
    'processor, first decision': firstUs,
    'p50 of 100 decisions': [...tookUs].sort((a, b) => a - b)[50],
    'processor, 100 decisions': decided[1] - made[1],
    'processor, all stages': decided[1] - start[1],
  }));
`;

const LIMITS = {
  slidingWindow: '{ limit: 1e5, window: 3_600_000 }',
  fixedWindow: '{ limit: 1e5, window: 3_600_000 }',
  tokenBucket: '{ capacity: 1e5, refillRate: 1 }',
};

function stagesOf(folder, limit) {
  const program = PROGRAM.replace('LIMIT', limit).replace('OPTIONS', LIMITS[limit]);
  // The program is found nowhere, so that it imports the packages of the folder in which it runs.
  const args = ['-c', core, process.execPath, '--input-type=module', '-e', program];
  return JSON.parse(execFileSync('taskset', args, { cwd: join(folder, 'packages/bench'), encoding: 'utf8' }));
}

const lowerQuartile = (all) => all.sort((a, b) => a - b)[all.length >> 2];

for (const limit of Object.keys(LIMITS)) {
  const rounds = Array.from({ length: Number(processes) }, () => [stagesOf(before, limit), stagesOf(now, limit)]);
  for (const stage of Object.keys(rounds[0][0])) {
    const [one, other] = [0, 1].map((side) => lowerQuartile(rounds.map((round) => round[side][stage])));
    console.log(`${limit}, ${stage}: ${one.toFixed(1)}, ${other.toFixed(1)} (${(other / one).toFixed(2)} times)`);
  }
}
