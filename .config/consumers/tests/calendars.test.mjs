import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';

/** Makes a calendar window by the core that a process gets in one way, after it has loaded packages in others. */
const PROGRAM = `
  import { createRequire } from 'node:module';
  const require = createRequire(process.cwd() + '/');
  const load = ([way, name]) => (way === 'import' ? import(name) : require(name));
  const [own, ...before] = process.argv.slice(1).map((text) => text.split(' '));
  for (const each of before) await load(each);
  const { createLimiter, fixedWindow, SluiceError } = await load(own);
  try {
    const limit = fixedWindow({ limit: 1, window: { unit: 'month', timeZone: 'UTC' } });
    console.log(createLimiter({ limit }).consume('ann').policy);
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    console.log(error.message);
  }
`;

/** Returns what a fresh process prints. */
const resultOf = (...loaded) =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM, ...loaded], { encoding: 'utf8' }).trim();

const WAYS = ['import', 'require'];

for (const way of WAYS) {
  test(`By ${way}, a calendar window needs the import of calendars`, () => {
    const others = ['express', 'fastify', 'hono', 'redis', 'core/http', 'core/store', 'core/testing'];
    assert.equal(
      resultOf(`${way} @sluice/core`, ...others.map((name) => `${way} @sluice/${name}`)),
      "window needs an import of '@sluice/core/calendars' where your program begins, because it follows the calendar, " +
        'got "month" (SLUICE_OPTION)',
    );
  });

  test(`By ${way}, one import of calendars is for both formats`, () => {
    for (const other of WAYS)
      assert.equal(resultOf(`${other} @sluice/core`, `${way} @sluice/core/calendars`), 'default');
  });

  test(`By ${way}, packages that read windows as data import calendars by themselves`, () => {
    for (const name of ['config', 'llm'])
      assert.equal(resultOf(`${way} @sluice/core`, `${way} @sluice/${name}`), 'default');
  });
}
