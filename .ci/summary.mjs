/**
 * Prints every failed test in vitest's JSON reports with its error message, so that the end of a long log names the
 * failed tests. Then prints the line `N passed, N failed`. A report that cannot be read counts as one failed test.
 *
 * Usage: node summary.mjs FAILED REPORT...
 * FAILED is 1 if a suite exited with an error. The summary then shows at least one failed test, and exits with 1.
 */
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

const LONGEST_MESSAGE = 2000;

const [suiteFailed, ...files] = process.argv.slice(2);
let passed = 0;
const failures = [];

function addFailure(name, message) {
  const lines = message.split('\n').filter((line) => !line.includes('node_modules'));
  failures.push(`FAILED ${name}\n${lines.join('\n').slice(0, LONGEST_MESSAGE)}`);
}

for (const file of files) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    addFailure(basename(file), error.message);
    continue;
  }
  passed += report.numPassedTests;
  for (const suite of report.testResults) {
    const path = relative('.', suite.name);
    const tests = suite.assertionResults.filter(({ status }) => status === 'failed');
    for (const test of tests) addFailure(`${path} > ${test.fullName}`, test.failureMessages.join('\n'));
    if (suite.status === 'failed' && tests.length === 0) addFailure(path, suite.message);
  }
}
if (suiteFailed === '1' && failures.length === 0) {
  addFailure('a suite', 'It exited with an error although all its tests passed. Its output is above.');
}

for (const failure of failures) console.log(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
