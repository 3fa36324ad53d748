/** Facts for the instructions that an agent receives when it starts. */
export interface AgentFacts {
  sessionId: string;
  shortId: string;
  title: string;
  cwd: string;
  /** Null for a session outside any repository. */
  worktree: { repository: string; branch: string | null; isMain: boolean } | null;
  parent: { id: string; title: string } | null;
  /** Files that the agent is asked to read first, as paths relative to `cwd`. */
  contextFiles: readonly string[];
  baseUrl: string;
}

const TITLE_MAX = 120;

/**
 * Returns the instructions for an agent. The text is the same for a new and a resumed conversation, so that a resumed
 * conversation does not contain contradictory instructions.
 */
export function agentInstructions(self: AgentFacts): string {
  const { sessionId, shortId, worktree, parent } = self;
  const lines = [
    '# Agent Console',
    `You run in session ${sessionId} (short ${shortId})${titled(self.title)} of Agent Console, which starts, shows and connects agents.`,
    worktree === null
      ? `You work in the folder ${self.cwd}.`
      : `You work in ${self.cwd}, ${worktree.isMain ? 'the main checkout' : 'a git worktree'} of repository ${oneLine(worktree.repository)}${worktree.branch === null ? '' : `, branch ${worktree.branch}`}. Stay inside it, because other agents work in the other worktrees.`,
  ];
  if (self.contextFiles.length > 0) {
    lines.push(
      `Read these files in this folder before you begin: ${self.contextFiles.map((path) => JSON.stringify(path)).join(', ')}.`,
    );
  }
  if (parent !== null) {
    lines.push(
      `Your task was delegated by session ${parent.id}${titled(parent.title)}. When the task is done or cannot be done, call the tool report_result with the outcome (succeeded or failed) and a short summary. The other session waits for this report.`,
    );
  } else {
    lines.push(
      'If a message says that another session gave you a task, call the tool report_result when the task is done.',
    );
  }
  lines.push(
    'The MCP server "agent-console" has your tools: delegate_to_worktree delegates a task to a new agent in its own worktree; list_sessions, get_session_status, read_session_output, wait_for_session and send_message_to_session monitor and steer that agent. You are notified when a task you delegated ends, so there is no need to poll. integrate_worktree brings the committed work of that agent into your branch (worktreeId: see get_session_status).',
    `If these tools are unavailable, use the same operations at ${self.baseUrl}/api with curl (description: ${self.baseUrl}/api/openapi.json).`,
  );
  return lines.join('\n');
}

/** Shortens untrusted titles and names to one line, so that they cannot pose as instructions. */
function oneLine(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f\s]+/g, ' ')
    .trim()
    .slice(0, TITLE_MAX);
}

function titled(title: string): string {
  const plain = oneLine(title);
  return plain === '' ? '' : ` ("${plain.replaceAll('"', "'")}")`;
}
