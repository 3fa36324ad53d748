import type { CliId } from './harness/clis.ts';
import type { Step } from './harness/model-server.mjs';

/** The call that runs a command, in each agent's own words. */
function shell(agentId: CliId, command: string): NonNullable<Step['tool']> {
  switch (agentId) {
    case 'claude-code':
      return { name: 'Bash', input: { command, description: 'Run it' } };
    case 'codex':
      return { name: 'exec_command', input: { cmd: command } };
    case 'gemini':
      return { name: 'run_shell_command', input: { command, description: 'Run it' } };
    case 'opencode':
      return { name: 'bash', input: { command, description: 'Run it' } };
  }
}

/** The same where its permission is asked for. Codex asks when the model says that its sandbox is too narrow. */
function askingShell(agentId: CliId, command: string): NonNullable<Step['tool']> {
  const call = shell(agentId, command);
  if (agentId !== 'codex') return call;
  return { ...call, input: { ...call.input, sandbox_permissions: 'require_escalated', justification: 'Try it' } };
}

/** How a notice begins, which names the prompts it is about. */
const NOTICE = '\\[agent-console';

export const report = (summary: string) => ({ name: 'report_result', input: { outcome: 'succeeded', summary } });

/** `please commit NAME`: commits a file of that name and reports it. What was printed is not what was asked to be printed. */
export function committing(agentId: CliId): Step[] {
  const command =
    'echo {{name}} > {{name}}.txt && git add {{name}}.txt && git commit -q -m {{name}} && git log -1 --format=made:%s';
  return [
    { when: 'please commit (?<name>[a-z]+)', not: NOTICE, text: 'I will.', tool: shell(agentId, command) },
    { when: 'made:(?<name>[a-z]+)', text: 'Committed.', tool: report('{{name}} is committed') },
  ];
}

/** `please report as NAME`. */
export const reporting: readonly Step[] = [
  { when: 'please report as (?<name>[a-z]+)', text: 'I will.', tool: report('I am {{name}}') },
];

/** `look, then report`: two calls, of which the second waits until `second` is released. */
export const lookingFirst: readonly Step[] = [
  { when: 'look, then report', not: '"workers"', text: 'I will look.', tool: { name: 'list_sessions' } },
  { when: '"workers"', hold: 'second', text: 'Seen.', tool: report('looked and reported') },
];

/** `please make NAME`: a command that none of them takes for harmless. */
export function asking(agentId: CliId): Step[] {
  return [
    {
      when: 'please make (?<name>[a-z]+)',
      text: 'I will.',
      tool: askingShell(agentId, `node -e "fs.writeFileSync('{{name}}.txt', '')"`),
    },
  ];
}

/** Whatever prompt `when` fits: a command that needs no more than the agent's mode allows. */
export function running(agentId: CliId, when: string, command: string): Step {
  return { when, text: 'I will.', tool: shell(agentId, command) };
}

/** Whatever prompt `when` fits: a new file, written by the agent's own tool. */
export function writing(
  agentId: Exclude<CliId, 'codex'>,
  when: string,
  { path, content }: Record<'path' | 'content', string>,
): Step {
  const name = { 'claude-code': 'Write', gemini: 'write_file', opencode: 'write' }[agentId];
  const input = agentId === 'opencode' ? { filePath: path, content } : { file_path: path, content };
  return { when, keep: true, text: 'I will.', tool: { name, input } };
}

/** `please delegate to AGENT: PROMPT`. */
export const delegating: readonly Step[] = [
  {
    when: 'please delegate to (?<agent>[a-z-]+): (?<prompt>[^\\n"]+)',
    not: `"delegationId"|${NOTICE}`,
    text: 'I will.',
    tool: { name: 'delegate_to_worktree', input: { agentId: '{{agent}}', prompt: '{{prompt}}' } },
  },
];
