// Prints what failed in the runs whose reports (`jest --json`) it is given, and then how many tests passed and failed in all.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** How much of a message is shown: what failed, and where. The whole stands among the output of the tests. */
const SHOWN = 1000;

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const sum = (name) => reports.reduce((total, report) => total + report[name], 0);

const files = reports.flatMap(({ testResults }) => testResults).filter(({ status }) => status === 'failed');
for (const { name, message, assertionResults } of files) {
  console.log(`${relative('.', name)} failed`);
  const tests = assertionResults.filter(({ status }) => status === 'failed');
  for (const test of tests) console.log(`  ${test.fullName}\n${test.failureMessages.join('\n').slice(0, SHOWN)}`);
  // A file that cannot be loaded has no tests.
  if (tests.length === 0) console.log(message.slice(0, SHOWN));
}

const failed = sum('numFailedTests') + sum('numRuntimeErrorTestSuites');
console.log(`${sum('numPassedTests')} passed, ${failed} failed`);
if (failed + files.length > 0 || reports.some(({ numPassedTests }) => numPassedTests === 0)) process.exitCode = 1;
