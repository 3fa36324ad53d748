import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';

let c: InProcessApp;

/**
 * An agent over ACP that exits at its first input. It writes an error to the file in which the runner stores stderr.
 */
const dying: OpenProgram = ({ spec, print, ended }) => ({
  input() {
    print('{"jsonrpc":"2.0","method":"session/update","params":{}}\n');
    writeFileSync(join(c.home, 'workers', spec.workerId, 'stderr.log'), '\x1b[31mCannot find model\x1b[0m nosuch\n\n');
    ended({ exitCode: 4, signal: null });
  },
  signal: (signal) => ended({ exitCode: null, signal }),
  stop() {},
});

beforeAll(async () => {
  c = await startTestApp({ programs: { dying } });
  const path = join(c.folder, 'dying');
  writeFileSync(path, '', { mode: 0o755 });
  await c.client.call('agents.create', { id: 'dying', name: 'Dying', command: [path], driver: 'acp' });
});
afterAll(() => c.close());

const { get } = sessionsOf(() => c);

it('the task of an agent that exits ends with its error output, not with its protocol messages', async () => {
  const fields = { cwd: c.folder, agentId: 'dying', initialPrompt: 'hello' };
  const { id } = await c.client.call('sessions.create', fields);
  await c.until('its end', async () => (await get(id)).task?.status === 'failed');
  expect((await get(id)).tasks[0]?.error).toEqual({
    code: 'AGENT_UNAVAILABLE',
    message:
      'The agent exited with code 4 before it accepted the prompt. Last lines of its error output:\nCannot find model nosuch',
  });
});
