// Compiles `types` of a consumer with the oldest TypeScript that is supported. What it finds in declarations of others is theirs:
// newer versions of them may need a newer compiler.
import { spawnSync } from 'node:child_process';
import { tool } from '../release/tools.mjs';

const { stdout } = spawnSync(
  process.execPath,
  [tool('typescript/bin/tsc'), '--project', 'types', '--listFiles', '--pretty', 'false'],
  {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  },
);
const lines = stdout.split('\n');
const isOurs = (line) => !line.startsWith('node_modules/') || line.startsWith('node_modules/@sluice/');
const faults = lines.filter((line) => /^\S+\(\d+,\d+\): error |^error /.test(line) && isOurs(line));
const read = lines.filter((line) => line.includes('/node_modules/@sluice/') && line.endsWith('.d.ts')).length;
for (const fault of faults) console.error(fault);
// What reads none of our declarations shows nothing.
if (faults.length > 0 || read === 0) process.exitCode = 1;
