import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  defectsOf,
  FAILED_TAPES,
  KNOWN_DEFECTS,
  type KnownDefect,
  knownDefectOf,
  readFailedTapes,
  readKnownDefects,
} from '../../src/search/known-defects.js';
import { shapeOf } from '../../src/search/shape.js';
import type { Step, StoreSetup } from '../../src/tape/tape.js';
import { limitOf, tapeOf } from './tapes.js';

const consume: Step = { atMs: 0, call: 'consume', process: 0, policy: 0, subject: 0, cost: 1 };
const reset: Step = { atMs: 0, call: 'reset', process: 0, policy: 0, subject: 0 };
const crash: Step = { atMs: 5, fault: 'crash', process: 0 };

const redis: StoreSetup = { kind: 'redis', server: 0, timeoutMs: 50, instances: 1 };
const leased: StoreSetup = { kind: 'leased', of: redis, leaseMs: 1000 };
const server = { kind: 'redis', clockAheadMs: 0 } as const;

const overRedis = { store: redis, servers: [server] };
const overLease = { store: leased, servers: [server] };

const defect: KnownDefect = {
  name: 'reset-beside-lease',
  what: 'A reset loses the units that a process holds.',
  invariant: 'bound',
  tape: tapeOf([consume, reset], overLease),
};

describe('knownDefectOf', () => {
  it('finds the defect of a tape that needs the same', () => {
    const tape = tapeOf([{ ...consume, cost: 4 }, reset, { ...consume, atMs: 70 }], overLease);
    expect(knownDefectOf('bound', tape, [defect])).toBe(defect);
  });

  it('finds none if another invariant is broken', () => {
    expect(knownDefectOf('at-rest', defect.tape, [defect])).toBeUndefined();
  });

  it('finds none if the tape needs less or more', () => {
    expect(knownDefectOf('bound', tapeOf([consume], overLease), [defect])).toBeUndefined();
    expect(knownDefectOf('bound', tapeOf([consume, reset, crash], overLease), [defect])).toBeUndefined();
    expect(knownDefectOf('bound', tapeOf([consume, reset], overRedis), [defect])).toBeUndefined();
    const policies = [{ name: 'p0', onStoreError: 'local', variants: [[limitOf({ by: 'everyone' })]] } as const];
    expect(knownDefectOf('bound', tapeOf([consume, reset], { ...overLease, policies }), [defect])).toBeUndefined();
  });

  it('takes what the entry allows beside what it needs', () => {
    const wider: KnownDefect = {
      ...defect,
      matches: { calls: { needs: ['reset'], allows: ['consume', 'reserve'] }, faults: { allows: ['crash'] } },
    };
    expect(knownDefectOf('bound', tapeOf([reset, crash], overLease), [wider])).toBe(wider);
    expect(knownDefectOf('bound', tapeOf([consume], overLease), [wider])).toBeUndefined();
    expect(knownDefectOf('bound', tapeOf([reset], overRedis), [wider])).toBeUndefined();
    expect(knownDefectOf('bound', tapeOf([reset, { ...consume, call: 'peek' }], overLease), [wider])).toBeUndefined();
  });
});

describe('shapeOf', () => {
  it('names what is special, and no numbers', () => {
    const step: Step = {
      atMs: 0,
      call: 'reserve',
      as: 1,
      process: 0,
      policy: 0,
      subject: 3,
      cost: 9,
      id: 'op-1',
      expiresMs: 5,
    };
    const network = { delayMs: [1, 3], slow: 0.5, slowMs: 10, breaks: 0, twice: 0 } as const;
    expect(shapeOf(tapeOf([step, crash], { ...overLease, network }))).toEqual({
      stores: ['leased', 'redis'],
      algorithms: ['sliding-window'],
      calls: ['reserve'],
      faults: ['crash', 'slow'],
      features: ['expires', 'id', 'subjects'],
    });
  });
});

describe('defectsOf', () => {
  it('has what was mended after the code of a checkout, and nothing that was mended there', () => {
    const checkout = mkdtempSync(join(tmpdir(), 'checkout-'));
    const mended = readFailedTapes(FAILED_TAPES).map(({ name }) => name);
    const own = readKnownDefects(KNOWN_DEFECTS).map(({ name }) => name);
    const namesOf = (folder: string) => defectsOf(folder).map(({ name }) => name);
    expect(namesOf(checkout)).toEqual([...own, ...mended]);
    const [first = '', second = '', ...rest] = mended;
    const folder = join(checkout, 'packages/simulation/failed-tapes');
    mkdirSync(folder, { recursive: true });
    for (const name of [first, second]) writeFileSync(join(folder, `${name}.json`), 'in the form of that time');
    expect(namesOf(checkout)).toEqual([...own, ...rest]);
    expect(namesOf(join(FAILED_TAPES, '../../..'))).toEqual(own);
    rmSync(checkout, { recursive: true });
  });
});

describe('readKnownDefects', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'known-defects-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (file: string, entry: object): void => writeFileSync(join(folder, file), JSON.stringify(entry));

  it('reads all entries of a folder', () => {
    write('reset-beside-lease.json', defect);
    writeFileSync(join(folder, 'README.md'), 'no entry');
    expect(readKnownDefects(folder)).toEqual([defect]);
    expect(readKnownDefects(join(folder, 'nothing'))).toEqual([]);
  });

  it('says what is wrong with an entry', () => {
    write('another.json', defect);
    expect(() => readKnownDefects(folder)).toThrow('another.json has the name of another file: reset-beside-lease');
    write('another.json', { name: 'another' });
    expect(() => readKnownDefects(folder)).toThrow('another.json has no what');
  });
});
