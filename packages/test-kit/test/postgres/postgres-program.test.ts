import { afterEach, describe, expect, it } from '@jest/globals';
import { choiceOf, type Machine, postgresFolder } from '@sluice/test-kit/postgres/postgres-program';

const BARE: Machine = { folders: ['/usr/bin', '/opt/pg/bin'], isProgram: () => false, managers: [], isRoot: false };

const WITH_PROGRAMS: Machine = { ...BARE, isProgram: (path) => path.startsWith('/opt/pg/bin/') };

describe('The programs of PostgreSQL', () => {
  it('are those of the first folder that has both of them', () => {
    expect(choiceOf(undefined, WITH_PROGRAMS)).toEqual({ use: '/opt/pg/bin' });
    const half: Machine = { ...BARE, isProgram: (path) => path.endsWith('/postgres') };
    expect(choiceOf(undefined, half)).toEqual({ fail: expect.stringContaining('initdb') });
  });

  it('are those of the folder that a person names, or the test says what is wrong with it', () => {
    expect(choiceOf('/opt/pg/bin', WITH_PROGRAMS)).toEqual({ use: '/opt/pg/bin' });
    expect(choiceOf('/usr/bin', WITH_PROGRAMS)).toEqual({
      fail: 'SLUICE_TEST_POSTGRES has to be off or the folder of initdb and postgres, and is /usr/bin',
    });
  });

  it('are not looked for when they are off', () => {
    expect(choiceOf('off', WITH_PROGRAMS)).toEqual({
      fail: 'This test needs PostgreSQL, and SLUICE_TEST_POSTGRES is off: set it to the folder of initdb and postgres, or unset it.',
    });
  });

  it.each(['apt-get', 'apk'])('are installed by root with %s, and named to others', (manager) => {
    expect(choiceOf(undefined, { ...BARE, managers: [manager], isRoot: true })).toEqual({ install: manager });
    expect(choiceOf(undefined, { ...BARE, managers: [manager] })).toEqual({
      fail: expect.stringMatching(new RegExp(`^The tests need PostgreSQL .*: sudo ${manager} `)),
    });
  });
});

describe('A test', () => {
  const { SLUICE_TEST_POSTGRES } = process.env;

  afterEach(() => {
    if (SLUICE_TEST_POSTGRES === undefined) delete process.env.SLUICE_TEST_POSTGRES;
    else process.env.SLUICE_TEST_POSTGRES = SLUICE_TEST_POSTGRES;
  });

  it('fails at once when PostgreSQL is off, and says how to have it', () => {
    process.env.SLUICE_TEST_POSTGRES = 'off';
    expect(postgresFolder).toThrow(/SLUICE_TEST_POSTGRES is off: set it/);
  });
});
