import type { CliId } from './harness/clis.ts';
import type { Step } from './harness/model-server.mjs';

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

/** Returns a tool call for which the agent asks for permission. Codex asks only if the model requests escalation. */
function askingShell(agentId: CliId, command: string): NonNullable<Step['tool']> {
  const call = shell(agentId, command);
  if (agentId !== 'codex') return call;
  return { ...call, input: { ...call.input, sandbox_permissions: 'require_escalated', justification: 'Try it' } };
}

/** Start of a notice. Notices quote prompts, so a step that replies to a prompt must not match a notice. */
const NOTICE = '\\[agent-console';

export const report = (summary: string) => ({ name: 'report_result', input: { outcome: 'succeeded', summary } });

/**
 * `please commit NAME`: the agent commits a file of that name and then reports. The second step matches `made:NAME`,
 * which only the output of the command contains.
 */
export function committing(agentId: CliId): Step[] {
  const command =
    'echo {{name}} > {{name}}.txt && git add {{name}}.txt && git commit -q -m {{name}} && git log -1 --format=made:%s';
  return [
    { when: 'please commit (?<name>[a-z]+)', not: NOTICE, text: 'I will.', tool: shell(agentId, command) },
    { when: 'made:(?<name>[a-z]+)', text: 'Committed.', tool: report('{{name}} is committed') },
  ];
}

/** `please report as NAME`: reports a result that contains the name. */
export const reporting: readonly Step[] = [
  { when: 'please report as (?<name>[a-z]+)', text: 'I will.', tool: report('I am {{name}}') },
];

/** `look, then report`: two tool calls. The model makes the second one only after the test releases `second`. */
export const lookingFirst: readonly Step[] = [
  { when: 'look, then report', not: '"workers"', text: 'I will look.', tool: { name: 'list_sessions' } },
  { when: '"workers"', hold: 'second', text: 'Seen.', tool: report('looked and reported') },
];

/** `please make NAME`: runs a command that every agent asks about, because none considers it harmless. */
export function asking(agentId: CliId): Step[] {
  return [
    {
      when: 'please make (?<name>[a-z]+)',
      text: 'I will.',
      tool: askingShell(agentId, `node -e "fs.writeFileSync('{{name}}.txt', '')"`),
    },
  ];
}

/** Returns a step for prompts that match `when`: the agent runs a command that its mode allows. */
export function running(agentId: CliId, when: string, command: string): Step {
  return { when, text: 'I will.', tool: shell(agentId, command) };
}

/** Returns a step for prompts that match `when`: the agent creates a file with its own tool. */
export function writing(
  agentId: Exclude<CliId, 'codex'>,
  when: string,
  { path, content }: Record<'path' | 'content', string>,
): Step {
  const name = { 'claude-code': 'Write', gemini: 'write_file', opencode: 'write' }[agentId];
  const input = agentId === 'opencode' ? { filePath: path, content } : { file_path: path, content };
  return { when, keep: true, text: 'I will.', tool: { name, input } };
}

/** `please delegate to AGENT: PROMPT`: delegates the prompt to the agent. */
export const delegating: readonly Step[] = [
  {
    when: 'please delegate to (?<agent>[a-z-]+): (?<prompt>[^\\n"]+)',
    not: `"delegationId"|${NOTICE}`,
    text: 'I will.',
    tool: { name: 'delegate_to_worktree', input: { agentId: '{{agent}}', prompt: '{{prompt}}' } },
  },
];
