import { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import type { AgentRequest } from '../../domain/protocol.ts';
import type { Host } from '../../ports/host.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { AgentTerminals } from './agent-terminals.ts';

const Text = v.pipe(v.string(), v.regex(/^[^\0]*$/, 'must not contain NUL'));
const Create = v.object({
  command: v.pipe(Text, v.regex(/\S/, 'must not be empty')),
  args: v.optional(v.nullable(v.array(Text))),
  env: v.optional(v.nullable(v.array(v.object({ name: v.pipe(Text, v.regex(/^[^=]+$/)), value: Text })))),
  cwd: v.optional(v.nullable(v.string())),
  outputByteLimit: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)))),
});

/**
 * Carries out an agent's request about a terminal and returns the result; null if the console does not support
 * `method`.
 * @throws NOT_FOUND if the terminal is not one of the agent's
 */
export async function terminalResult(
  { terminals, host }: { terminals: AgentTerminals; host: Pick<Host, 'realFolder'> },
  { worker, session }: { worker: WorkerRow; session: SessionRow },
  { method, terminalId = null }: AgentRequest,
  params: () => Promise<unknown>,
): Promise<object | null> {
  if (terminalId === null) {
    throw new ConsoleError('NOT_FOUND', 'The agent has no such terminal. Open one first (terminal/create).', {});
  }
  switch (method) {
    case 'terminal/create': {
      const { command, args, env, cwd, outputByteLimit } = v.parse(Create, await params());
      await terminals.start(worker, terminalId, {
        // A command without arguments is a command line for the shell.
        ...(args?.length ? { file: command, args } : { file: '/bin/sh', args: ['-c', command] }),
        cwd: await host.realFolder(session, cwd ?? session.cwd),
        env: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
        outputLimit: outputByteLimit ?? null,
      });
      return { terminalId };
    }
    case 'terminal/output': {
      const { text, truncated, exit } = await terminals.output(terminalId);
      return { output: text, truncated, ...(exit === null ? {} : { exitStatus: exit }) };
    }
    case 'terminal/wait_for_exit':
      return terminals.exited(terminalId);
    case 'terminal/kill':
      await terminals.kill(terminalId);
      return {};
    case 'terminal/release':
      await terminals.release(terminalId);
      return {};
    default:
      return null;
  }
}
