// Installs packed packages into projects of users, one for each way to load them, and runs the tests of these.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CONSUMERS = ['esm', 'commonjs', 'jest'];
const PATIENCE_MS = 120_000;

const npm = promisify(execFile);

async function seconds(work) {
  const startMs = performance.now();
  await work();
  return ((performance.now() - startMs) / 1000).toFixed(0);
}

/** Tells in a line how it went. `packs` are paths of tarballs. */
async function run(name, packs, signal) {
  const folder = await mkdtemp(join(tmpdir(), `sluice-consumer-${name}-`));
  try {
    await cp(fileURLToPath(new URL(name, import.meta.url)), folder, { recursive: true });
    const options = { cwd: folder, signal, maxBuffer: 64 * 1024 * 1024 };
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    const installing = await seconds(() => npm('npm', [...install, ...packs], options));
    const testing = await seconds(() => npm('npm', ['test'], options));
    console.log(`consumer ${name}: passed, installed in ${installing} s, tested in ${testing} s`);
    return true;
  } catch (error) {
    console.log(error.stdout ?? '', error.stderr ?? '');
    console.log(
      `consumer ${name}: FAILED, ${error.code === 'ABORT_ERR' ? 'out of time' : error.message.split('\n')[0]}`,
    );
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Whether every consumer passes, and all of them within two minutes. */
export async function runConsumers(packs) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const passed = await Promise.all(CONSUMERS.map((name) => run(name, packs, signal)));
  return passed.every(Boolean);
}
