// Completes package-lock.json after npm install has run against a registry that has not every platform's binaries: npm
// leaves the entries out that it could not look up, and npm ci then takes the lock for stale. What an entry needs
// (version, os, cpu, libc) is in its name and its parent. An argument names another folder that has a lock of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const OS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const CPU = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

const [, , folder] = process.argv;
const path = folder ? pathToFileURL(`${folder}/package-lock.json`) : new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const { packages } = lock;

for (const [parent, { optionalDependencies = {}, license, engines, dev }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`;
    if (packages[place] || packages[`${parent}/${place}`]) continue;
    const words = name.split(/[-/]/);
    const pick = (choices) =>
      choices.filter((choice) =>
        words.some((word) => word === choice || (choice === 'arm' && word.startsWith('gnueabi'))),
      );
    const has = (start) => words.some((word) => word.startsWith(start));
    const libc = has('musl') ? ['musl'] : has('gnu') ? ['glibc'] : undefined;
    packages[place] = {
      version,
      cpu: pick(CPU).slice(0, 1),
      ...(dev && { dev }),
      license,
      ...(libc && { libc }),
      optional: true,
      os: pick(OS),
      engines,
    };
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
