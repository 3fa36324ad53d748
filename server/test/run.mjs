// `npm test`: runs the checks and the tests concurrently, since each alone leaves part of the machine idle. If the
// checks fail, their output is printed after that of the tests, so that the two do not mix. The exit status is 0 only if
// both succeed.
import { spawn } from 'node:child_process';

function run(command, args, stdio) {
  const child = spawn(command, args, { stdio });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
const [checks, tests] = await Promise.all([
  run('npm', ['run', '-s', 'check'], ['ignore', 'pipe', 'pipe']),
  run(process.execPath, vitest, 'inherit'),
]);
if (checks.code !== 0) process.stderr.write(`\n${checks.output}`);
process.stderr.write(`\nchecks (npm run check): ${checks.code === 0 ? 'clean' : 'FAILED, see above'}\n`);
process.exitCode = checks.code === 0 && tests.code === 0 ? 0 : 1;
