// npm run docs, docs:build, docs:check and check:site: installs what the site needs if it is not installed, and starts VitePress, or a
// browser.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from '../installed.mjs';

const SITE = fileURLToPath(new URL('.', import.meta.url));

const VITEPRESS = 'node_modules/vitepress/bin/vitepress.js';

/** What runs a program without a network: nothing where the machine does not allow it. */
function withoutNetwork() {
  const ways = [
    ['unshare', '--net'],
    ['unshare', '--map-root-user', '--net'],
  ];
  const way = ways.find(([program, ...args]) => spawnSync(program, [...args, 'true']).status === 0);
  console.log(
    way
      ? 'The site is built without a network'
      : 'The site is built with a network: no program can be kept from it here',
  );
  return way ?? [];
}

/** Runs a command in the folder of the site, and ends if it fails. */
function run(program, ...args) {
  const { status } = spawnSync(program, args, { cwd: SITE, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const node = (...args) => run(process.execPath, ...args);

function build(prefix = []) {
  const program = [...prefix, process.execPath];
  run(...program, 'reference.mjs');
  run(...program, VITEPRESS, 'build', '.');
  node('check.mjs');
}

const COMMANDS = {
  dev() {
    // While somebody writes pages, the reference may be that of yesterday.
    if (!existsSync(`${SITE}dist/api`)) node('reference.mjs');
    node(VITEPRESS, 'dev', '.');
  },
  build: () => build(),
  check: (...others) => node('browser.mjs', ...others),
  /** Builds the site, and looks at it as far as CI has the time. */
  ci() {
    process.env.SLUICE_SITE = 'quick';
    build(withoutNetwork());
    node('browser.mjs', '--quick');
  },
};

ensureInstalled(SITE);
const [, , command, ...others] = process.argv;
COMMANDS[command](...others);
