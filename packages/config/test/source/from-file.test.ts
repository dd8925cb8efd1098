import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fromFile } from '@sluice/config';
import { ManualClock } from '@sluice/core/testing';
import { SourceWatch } from './source-watch.js';

const OLD = 'version: 1\npolicies: { api: 1 }\n';
const NEW = 'version: 1\npolicies: { api: 2 }\n';

let folder: string;
let clock: ManualClock;
let watch: SourceWatch;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-file-'));
  clock = new ManualClock();
});

afterEach(async () => {
  await watch.stop();
  rmSync(folder, { recursive: true });
});

const at = (...names: string[]): string => join(folder, ...names);

/** Writes the file with a time that is always the same. */
function dated(text: string): void {
  writeFileSync(at('sluice.yaml'), text);
  utimesSync(at('sluice.yaml'), 1_700_000_000, 1_700_000_000);
}

/** Watches a file that has the old text, until its time is coarse enough that only the file tells of changes. */
async function watchOld(path: string, begin: () => void = () => writeFileSync(path, OLD)): Promise<void> {
  begin();
  watch = new SourceWatch(fromFile(path, { clock }), clock);
  await watch.until(OLD);
  await watch.pass(4_000);
}

describe('a policy file that is changed', () => {
  const WAYS: readonly [way: string, begin: (() => void) | undefined, change: () => void][] = [
    ['written in place', undefined, () => writeFileSync(at('sluice.yaml'), NEW)],
    [
      'renamed over, as editors do',
      undefined,
      () => {
        writeFileSync(at('sluice.yaml.tmp'), NEW);
        renameSync(at('sluice.yaml.tmp'), at('sluice.yaml'));
      },
    ],
    [
      'truncated and then written',
      undefined,
      () => {
        writeFileSync(at('sluice.yaml'), '');
        writeFileSync(at('sluice.yaml'), NEW);
      },
    ],
    [
      'deleted and made again',
      undefined,
      () => {
        unlinkSync(at('sluice.yaml'));
        writeFileSync(at('sluice.yaml'), NEW);
      },
    ],
    [
      'copied over by another file',
      undefined,
      () => {
        writeFileSync(at('other.yaml'), NEW);
        copyFileSync(at('other.yaml'), at('sluice.yaml'));
      },
    ],
    ['unpacked from an archive that keeps the size and the time', () => dated(OLD), () => dated(NEW)],
    [
      'swapped by a link, as Kubernetes does with a ConfigMap',
      () => {
        mkdirSync(at('v1'));
        writeFileSync(at('v1', 'sluice.yaml'), OLD);
        symlinkSync('v1', at('..data'));
        symlinkSync(join('..data', 'sluice.yaml'), at('sluice.yaml'));
      },
      () => {
        mkdirSync(at('v2'));
        writeFileSync(at('v2', 'sluice.yaml'), NEW);
        symlinkSync('v2', at('..data_tmp'));
        renameSync(at('..data_tmp'), at('..data'));
        rmSync(at('v1'), { recursive: true });
      },
    ],
  ];

  it.each(WAYS)('is read within 2 seconds if it is %s', async (_, begin, change) => {
    await watchOld(at('sluice.yaml'), begin);
    change();
    const changedAtMs = clock.now();
    await watch.until(NEW);
    expect(clock.now() - changedAtMs).toBeLessThanOrEqual(2_000);
    expect(watch.texts).toEqual([OLD, NEW]);
  });

  it('is read again in the same second, if times of files are whole seconds', async () => {
    const path = at('sluice.yaml');
    const write = (text: string): void => {
      writeFileSync(path, text);
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    };
    await watchOld(path, () => write(OLD));
    writeFileSync(path, `${OLD}\n`);
    await watch.until(`${OLD}\n`);
    const third = `${NEW}\n`;
    // The same size, the same time, the same file.
    writeFileSync(path, third);
    utimesSync(path, 1_700_000_001, 1_700_000_001);
    await watch.until(third);
    write(OLD);
    await watch.until(OLD);
    write(NEW);
    await watch.until(NEW);
  });

  it('is never read by halves while somebody writes it, line by line', async () => {
    await watchOld(at('sluice.yaml'));
    const lines = Array.from({ length: 6 }, (_, i) => `line${i}: ${i}\n`);
    for (const [i] of lines.entries()) {
      writeFileSync(at('sluice.yaml'), lines.slice(0, i + 1).join(''));
      await watch.pass(200);
    }
    const whole = lines.join('');
    await watch.until(whole);
    expect(watch.texts).toEqual([OLD, whole]);
  });

  it('is given more time if it ends in the middle of a line', async () => {
    await watchOld(at('sluice.yaml'));
    writeFileSync(at('sluice.yaml'), NEW.slice(0, 20));
    await watch.pass(1_000);
    expect(watch.texts).toEqual([OLD]);
    writeFileSync(at('sluice.yaml'), NEW);
    await watch.until(NEW);
    expect(watch.texts).toEqual([OLD, NEW]);
  });

  it('is read without the end of its last line', async () => {
    await watchOld(at('sluice.yaml'));
    writeFileSync(at('sluice.yaml'), NEW.trimEnd());
    const changedAtMs = clock.now();
    await watch.until(NEW.trimEnd());
    expect(clock.now() - changedAtMs).toBeLessThanOrEqual(2_000);
  });

  it('is an error once while it is gone, and read when it is back', async () => {
    await watchOld(at('sluice.yaml'));
    unlinkSync(at('sluice.yaml'));
    await watch.pass(3_000);
    expect(watch.errors).toEqual([expect.stringMatching(/sluice\.yaml cannot be read: ENOENT \(SLUICE_SOURCE\)$/)]);
    writeFileSync(at('sluice.yaml'), NEW);
    await watch.until(NEW);
  });

  it('is an error once while this process may not read it, and read when it may', async () => {
    chmodSync(folder, 0o755);
    await watchOld(at('sluice.yaml'));
    // Whoever may do everything has to be somebody else for a while.
    const isRoot = process.getuid?.() === 0;
    const allow = (isAllowed: boolean): void => {
      if (isRoot) process.seteuid?.(isAllowed ? 0 : 65_534);
      else chmodSync(at('sluice.yaml'), isAllowed ? 0o600 : 0);
    };
    try {
      writeFileSync(at('sluice.yaml'), NEW, { mode: 0o600 });
      chmodSync(at('sluice.yaml'), 0o600);
      allow(false);
      await watch.untilError(/sluice\.yaml cannot be read: EACCES \(SLUICE_SOURCE\)$/);
      await watch.pass(4_000);
      expect(watch.errors).toHaveLength(1);
    } finally {
      allow(true);
    }
    await watch.until(NEW);
  });

  it('is told to all who follow the same source', async () => {
    writeFileSync(at('sluice.yaml'), OLD);
    const source = fromFile(at('sluice.yaml'), { clock });
    watch = new SourceWatch(source, clock);
    const other = new SourceWatch(source, clock);
    try {
      await watch.until(OLD);
      await other.until(OLD);
      await watch.pass(4_000);
      writeFileSync(at('sluice.yaml'), NEW);
      await watch.until(NEW);
      await other.until(NEW);
    } finally {
      await other.stop();
    }
  });

  it('is an error if it is a pipe, which nobody may ever write, or a device without an end', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    for (const odd of [at('pipe'), '/dev/zero']) {
      await expect(fromFile(odd, { settle: 0 }).read(new AbortController().signal)).rejects.toThrow(
        'cannot be read: it is no regular file',
      );
    }
  });

  it('is an error if it is no text, or larger than anybody writes', async () => {
    await watchOld(at('sluice.yaml'));
    writeFileSync(at('sluice.yaml'), Buffer.from([0xff, 0xfe, 0x0a]));
    await watch.untilError(/is no UTF-8 text \(SLUICE_SOURCE\)/);
    writeFileSync(at('sluice.yaml'), Buffer.alloc(16 * 1024 * 1024 + 1, 0x23));
    await watch.untilError(/is larger than 16 MiB \(SLUICE_SOURCE\)/);
  });
});

describe('fromFile', () => {
  it.each([
    [() => fromFile(''), 'path must be the path of a file, got ""'],
    [() => fromFile('a', { poll: 1 }), 'poll must be a duration of at least 10 ms'],
    [() => fromFile('a', { every: '1s' } as object), 'every is not an option'],
  ])('refuses wrong options', (make, message) => {
    watch = new SourceWatch({ read: () => Promise.reject(new Error('')), async *changes() {} }, clock);
    expect(make).toThrow(message);
  });
});
