// Runs tests where there is none of the usual test frameworks.

/** A test that takes longer hangs. */
const LONGEST_MS = 10_000;

/** Resolves with a test's failure; undefined if it passes. */
async function failureOf(body) {
  let timer;
  const hanging = new Promise((resolve) => {
    timer = setTimeout(resolve, LONGEST_MS, 'hangs');
  });
  const failed = body().then(
    () => undefined,
    (error) => String(error?.stack ?? error),
  );
  const failure = await Promise.race([failed, hanging]);
  clearTimeout(timer);
  return failure;
}

/**
 * Runs all tests, one after the other. Returns how many have passed and cannot be run, and the failure of each other test.
 *
 * @param register - registers the tests with the functions that it gets
 * @param leavesOut - whether a test cannot be run here: by its title, or by its failure
 */
export async function runTests(register, leavesOut = {}) {
  const { byTitle = () => false, byFailure = () => false } = leavesOut;
  const tests = [];
  let path = [];
  const describe = (name, body) => {
    const outer = path;
    path = [...path, name];
    body();
    path = outer;
  };
  const it = (name, body) => tests.push({ title: [...path, name].join(' > '), body });
  const results = { passed: 0, leftOut: 0, failures: {} };
  it.skip = () => {
    results.leftOut += 1;
  };
  register({ describe, it });
  for (const { title, body } of tests) {
    if (byTitle(title)) {
      results.leftOut += 1;
      continue;
    }
    const failure = await failureOf(body);
    if (failure === undefined) results.passed += 1;
    else if (byFailure(failure)) results.leftOut += 1;
    else results.failures[title] = failure;
  }
  return results;
}
