// npm run docs, docs:build and docs:check: installs what the site needs if it is not installed, and starts VitePress, or a browser.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('.', import.meta.url));

/** npm writes it at the end of an installation. */
const INSTALLED = `${SITE}node_modules/.package-lock.json`;

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: SITE, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const isInstalled =
  existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(`${SITE}package-lock.json`).mtimeMs;
if (!isInstalled) run(fileURLToPath(new URL('../install.mjs', import.meta.url)), SITE);
const [, , command, ...others] = process.argv;
if (command === 'check') {
  run('browser.mjs', ...others);
} else {
  // While somebody writes pages, the reference may be that of yesterday.
  if (command === 'build' || !existsSync(`${SITE}dist/api`)) run('reference.mjs');
  run('node_modules/vitepress/bin/vitepress.js', command, '.');
  if (command === 'build') run('check.mjs');
}
