import { ERROR_HINTS } from '@agent-console/shared/error-hints';
import { ERRORS, type ErrorCode, notFound } from '@agent-console/shared/errors';
import { errorResult } from '../mcp/call.ts';
import { anchor, cell, code, table, UPDATE } from './markdown.ts';

const EXAMPLE = notFound('Task', '00000000');

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

function section(name: ErrorCode): string {
  const { http, exit, retryable } = ERRORS[name];
  const { means, hint } = ERROR_HINTS[name];
  return `## ${name}

${means}

- **What to do:** ${hint}
- HTTP ${http}, exit status ${exit}, retryable: ${retryable ? 'yes' : 'no'}`;
}

/** Returns all error codes as Markdown: meaning, what to do, and how REST, MCP and CLI show an error. */
export function errorsReference(): string {
  const names = Object.keys(ERRORS) as ErrorCode[];
  const rows = names.map((name) => {
    const { http, exit, retryable } = ERRORS[name];
    const { means } = ERROR_HINTS[name];
    return [`[${code(name)}](${anchor(name)})`, `${http}`, `${exit}`, retryable ? 'yes' : 'no', cell(means)];
  });
  const [shown] = errorResult(EXAMPLE).content;
  return `# Errors

Generated from the list of errors; ${UPDATE}.

Every failed call returns a code from this list, a message that says what to do in the specific case, and machine-readable details.
\`retryable\` says whether the same call may succeed a little later. The value in a response takes precedence over the value in this table. REST, MCP and the command line use the same codes; only the format differs.

${table(['Code', 'HTTP', 'Exit', 'Retryable', 'Meaning'], rows)}

REST, for \`GET /api/tasks/00000000\`, with the HTTP status:

${fenced('json', JSON.stringify(EXAMPLE.toBody()))}

MCP, for \`agor_tasks_get\`: a result with \`isError\`, whose text is the code and the message, then the same body:

${fenced('text', shown?.type === 'text' ? shown.text : '')}

Command line, for \`agent-console tasks get 00000000\`, on stderr, with the exit status; with \`--json\`, the same body as REST:

${fenced('text', `${EXAMPLE.code}: ${EXAMPLE.message}`)}

Calls that create something can safely be repeated with the same \`Idempotency-Key\` (REST), \`idempotencyKey\` (MCP) or
\`--idempotency-key\` (command line): within 24 hours they are executed once.

${names.map(section).join('\n\n')}
`;
}
