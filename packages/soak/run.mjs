// Builds the soak from sources, and runs it: npm run soak -w @sluice/soak -- --help
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundle } from './build.mjs';

const folder = await bundle();
const soak = spawn(process.execPath, [join(folder, 'soak.mjs'), ...process.argv.slice(2)], { stdio: 'inherit' });
// It ends its servers and says what it has seen so far; then this ends, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => soak.kill(signal));
const [code] = await once(soak, 'exit');
process.exitCode = code ?? 1;
