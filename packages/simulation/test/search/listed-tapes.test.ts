import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CodeFolders, playOf } from '../../src/search/crew.js';
import { type Play, played } from '../../src/search/failure.js';
import {
  FAILED_TAPES,
  KNOWN_DEFECTS,
  knownDefectOf,
  readFailedTapes,
  readKnownDefects,
} from '../../src/search/known-defects.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folders: CodeFolders = { roots: [root], modules: `${root}node_modules` };
const defects = readKnownDefects(KNOWN_DEFECTS);
const failed = readFailedTapes(FAILED_TAPES);

let play: Play;
beforeAll(async () => {
  play = await playOf(folders);
});

describe('a known defect', () => {
  for (const { name, tape, invariant } of defects) {
    it(`${name} still fails`, async () => {
      expect((await played(play, tape)).violation?.invariant).toBe(invariant);
    });
  }

  it('is known by its own tape', () => {
    for (const defect of defects) expect(knownDefectOf(defect.invariant, defect.tape, [defect])).toBe(defect);
  });

  it('says what it is', () => {
    for (const { what } of defects) expect(what).toMatch(/^[A-Z].+\.$/s);
  });
});

describe('a tape that failed once', () => {
  for (const { name, tape } of failed) {
    it(`${name} passes`, async () => {
      expect((await played(play, tape)).violation).toBeUndefined();
    });
  }

  it('is not a known defect, too', () => {
    const names = new Set(defects.map(({ name }) => name));
    expect(failed.filter(({ name }) => names.has(name))).toEqual([]);
  });
});
