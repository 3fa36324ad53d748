import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestConsole } from '../../support/console.ts';

/**
 * A program whose screen, reports and transcript are like those of Claude Code (2.1.330). It accepts these prompts:
 * - `fail WORDS` ends in an error of the model.
 * - `!x` is a command that only the transcript shows.
 * - `/panel` covers the input line with a panel until Escape.
 * - `/clear` starts a new conversation.
 * - The program answers any other prompt. It reports the answer first, and then writes the answer to the transcript.
 */
const PROGRAM = `#!/usr/bin/env node
const { execFileSync } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const option = (name) => process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const { hooks } = JSON.parse(fs.readFileSync(option('--settings'), 'utf8'));
const folder = process.env.HOME + '/.claude/projects/-stand-in';
fs.mkdirSync(folder, { recursive: true });
let session_id = option('--resume') ?? option('--session-id');
const tell = (hook_event_name, more) =>
  execFileSync('sh', ['-c', hooks[hook_event_name][0].hooks[0].command], {
    input: JSON.stringify({ session_id, hook_event_name, ...more }),
  });
const record = (type, content, more = {}) => {
  const entry = { type, uuid: randomUUID(), timestamp: new Date().toISOString(), message: { content, ...more.message }, ...more.entry };
  fs.appendFileSync(folder + '/' + session_id + '.jsonl', JSON.stringify(entry) + '\\n');
};
const words = (text) => [{ type: 'text', text }];
let line = '';
let panel = false;
const rule = '─'.repeat(100);
const draw = (sign = '✳') => {
  const box = panel ? ['A panel', '', 'Esc to close'] : [rule, '❯ ' + line, rule, '  accept edits on'];
  process.stdout.write('\\x1b]0;' + sign + ' Claude Code\\x07\\x1b[H\\x1b[2J' + box.join('\\r\\n'));
};
const take = (text) => {
  if (text === '/panel') panel = true;
  else if (text === '/clear') {
    tell('SessionEnd', { reason: 'clear' });
    session_id = randomUUID();
    tell('SessionStart', { source: 'clear' });
    record('user', '<command-name>/clear</command-name>\\n<command-args></command-args>');
  } else if (text.startsWith('!')) record('user', '<bash-input>' + text.slice(1) + '</bash-input>');
  else {
    record('user', text);
    tell('UserPromptSubmit', { prompt: text });
    draw('◐');
    const error = text.startsWith('fail ') ? 'API Error: ' + text.slice(5) : null;
    if (error !== null) record('assistant', words(error), { entry: { isApiErrorMessage: true } });
    const answer = error ?? 'heard ' + text;
    tell(error === null ? 'Stop' : 'StopFailure', { last_assistant_message: answer });
    if (error === null) setTimeout(record, 100, 'assistant', words(answer), { message: { id: randomUUID(), stop_reason: 'end_turn' } });
  }
  draw();
};
process.stdin.setRawMode(true);
process.stdin.on('data', (data) => {
  const keys = data.toString().replaceAll('\\x1b[200~', '').replaceAll('\\x1b[201~', '');
  if (keys === '\\x1b') panel = false;
  else if (!panel && keys.includes('\\x15')) line = '';
  else if (!panel) line += keys.replaceAll('\\r', '');
  draw();
  if (panel || !keys.includes('\\r')) return;
  const text = line.trim();
  line = '';
  if (text !== '') take(text);
});
tell('SessionStart', { source: option('--resume') ? 'resume' : 'startup' });
draw();
`;

export async function defineClaudeStandIn(c: TestConsole): Promise<string> {
  const id = 'claude-stand-in';
  const program = join(c.folder, id);
  writeFileSync(program, PROGRAM);
  chmodSync(program, 0o755);
  await c.client.call('agents.create', { id, name: 'Stand-in', kind: 'claude-code', command: [program] });
  return id;
}
