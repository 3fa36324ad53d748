import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readClaudeCodeLine } from '../../../src/agents/claude-code/transcript.ts';
import { readCodexHead, readCodexLine } from '../../../src/agents/codex/transcript.ts';
import { readGeminiLine } from '../../../src/agents/gemini/transcript.ts';
import { type OpencodeRow, readOpencodeRow } from '../../../src/agents/opencode/transcript.ts';
import type { TranscriptMessage, TranscriptReading, TranscriptUsage } from '../../../src/ports/transcripts.ts';

/** Returns lines recorded from a real agent, with invented paths and without the agent's long texts. */
function recorded(name: string): unknown[] {
  const text = readFileSync(new URL(`./transcripts/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

/** Adds up token usage. An answer that is reported several times counts once. */
function sumUsage(told: TranscriptUsage[]) {
  const last = new Map(told.map((usage) => [usage.nativeId, usage]));
  const sum = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, costUsd: null as number | null };
  for (const usage of last.values()) {
    sum.inputTokens += usage.inputTokens;
    sum.outputTokens += usage.outputTokens;
    sum.cacheReadTokens += usage.cacheReadTokens;
    if (usage.costUsd !== null) sum.costUsd = (sum.costUsd ?? 0) + usage.costUsd;
  }
  return sum;
}

/** Returns the conversation that results from all readings. A message replaces an earlier message with the same id. */
function outcome(readings: TranscriptReading[]) {
  const messages = new Map<string, TranscriptMessage>();
  for (const message of readings.flatMap((reading) => reading.messages)) messages.set(message.nativeId, message);
  return {
    said: [...messages.values()].map(({ role, kind, text }) => `${role} ${kind}: ${text}`),
    usage: sumUsage(readings.flatMap((reading) => reading.usage)),
    moments: [...messages.values()].every(({ at }) => at === null || at.startsWith('2026-11-22T0')),
  };
}

const REPORT = '{"outcome":"succeeded","summary":"I am one"}';

describe('a recorded conversation says who said and did what, and what it cost', () => {
  it('of Claude Code, where an answer has several lines and a resumed session continues in the same file', () => {
    expect(outcome(recorded('claude-code-2.1.330').map(readClaudeCodeLine))).toEqual({
      said: [
        'user text: report: one',
        'agent toolCall: ToolSearch({"query":"select:report_result","max_results":5})',
        'agent text: Reporting.',
        `agent toolCall: mcp__agent-console__report_result(${REPORT})`,
        'agent text: All done here.',
        'user text: again please',
        'agent text: All done here.',
      ],
      usage: { inputTokens: 400, outputTokens: 80, cacheReadTokens: 0, costUsd: 0.0032 },
      moments: true,
    });
  });

  it('of Codex, without the text that it sends to the model in the role of the user', () => {
    expect(outcome(recorded('codex-0.169.0').map(readCodexLine))).toEqual({
      said: [
        'user text: report: one',
        'agent text: Reporting.',
        `agent toolCall: report_result(${REPORT})`,
        'agent text: All done here.',
        'user text: shell: please',
        'agent text: Running.',
        expect.stringMatching(/^agent toolCall: exec_command\(\{"cmd":"env \| grep/),
        'agent text: All done here.',
      ],
      usage: { inputTokens: 400, outputTokens: 80, cacheReadTokens: 0, costUsd: null },
      moments: true,
    });
  });

  it('of Gemini, where entries grow and are repeated', () => {
    expect(outcome(recorded('gemini-0.61.0').map(readGeminiLine))).toEqual({
      said: [
        'user text: hold\nreport: one',
        'agent text: Reporting.',
        `agent toolCall: mcp_agent-console_report_result(${REPORT})`,
        'agent text: All done here.',
        'user text: again please',
        'agent text: All done here.',
      ],
      usage: { inputTokens: 300, outputTokens: 60, cacheReadTokens: 0, costUsd: null },
      moments: true,
    });
  });

  it('of opencode, from the rows of its database', () => {
    expect(outcome((recorded('opencode-1.18.33') as OpencodeRow[]).map(readOpencodeRow))).toEqual({
      said: [
        'user text: report: one',
        'user text: again please',
        'agent text: Reporting.',
        `agent toolCall: agent-console_report_result(${REPORT})`,
        'agent text: All done here.',
      ],
      usage: { inputTokens: 200, outputTokens: 40, cacheReadTokens: 0, costUsd: 0 },
      moments: true,
    });
  });

  it('counts tokens from a cache separately, in each format', () => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 70, output_tokens: 3 };
    const total_token_usage = { input_tokens: 85, cached_input_tokens: 70, output_tokens: 3 };
    const told = [
      readClaudeCodeLine({ type: 'assistant', uuid: 'u', message: { id: 'm', content: [], usage } }),
      readCodexLine({ type: 'event_msg', payload: { type: 'token_count', info: { total_token_usage } } }),
      readGeminiLine({
        id: 'g',
        type: 'gemini',
        content: '',
        tokens: { input: 85, cached: 70, output: 2, thoughts: 1 },
      }),
      readOpencodeRow({
        table: 'message',
        id: 'o',
        data: { role: 'assistant', tokens: { input: 10, output: 3, reasoning: 0, cache: { read: 70, write: 5 } } },
      }),
    ];
    for (const { usage: each } of told) {
      expect(each).toEqual([expect.objectContaining({ inputTokens: 15, outputTokens: 3, cacheReadTokens: 70 })]);
    }
  });
});

describe('lines that are not understood', () => {
  const odd = [
    null,
    1,
    'text',
    [],
    {},
    { type: 'user' },
    { type: 'assistant', message: 1 },
    { payload: [] },
    { $set: 1 },
  ];
  it.each(odd.map((line) => ({ line })))('are ignored: $line', ({ line }) => {
    for (const read of [readClaudeCodeLine, readCodexLine, readGeminiLine]) {
      expect(read(line)).toEqual({ messages: [], usage: [] });
    }
    const row = { table: 'part', id: 'p', role: 'user', data: line } satisfies OpencodeRow;
    expect(readOpencodeRow(row)).toEqual({ messages: [], usage: [] });
  });
});

it('the first line of Codex has id, folder and start of the conversation, and subagents are not conversations', () => {
  const [head] = recorded('codex-0.169.0') as { payload: object }[];
  expect(readCodexHead(JSON.stringify(head))).toMatchObject({ cwd: expect.stringMatching(/^\/demo\//) });
  const helper = { ...head, payload: { ...head?.payload, source: { subagent: 'review' } } };
  expect([readCodexHead(JSON.stringify(helper)), readCodexHead('{"type":'), readCodexHead('{}')]).toEqual([
    null,
    null,
    null,
  ]);
});

/** Returns the prompt of each turn of a recorded conversation, and how the turn ended. */
function ends(readings: TranscriptReading[]): string[] {
  let prompt = '';
  return readings.flatMap(({ messages, turnEnd }) => {
    prompt = messages.findLast(({ role }) => role === 'user')?.text ?? prompt;
    return turnEnd === undefined
      ? []
      : [`${prompt}: ${turnEnd.how}${turnEnd.error === null ? '' : `, ${turnEnd.error}`}`];
  });
}

describe('a recorded conversation says how its turns ended', () => {
  it('of Gemini, by its errors; text that it adds in the role of the user is not a message', () => {
    const readings = recorded('gemini-0.61.0-ends').map(readGeminiLine);
    expect(ends(readings)).toEqual([
      'please break 400: failed, this request is odd',
      'please break 401: failed, this key is not known',
    ]);
    const users = outcome(readings).said.filter((each) => each.startsWith('user'));
    expect(users).toEqual([
      'user text: please break 400',
      'user text: please break 401',
      'user text: please break 429',
      'user text: look at @README.md and x@y please',
      'user text: please loop now',
      'user text: hello three',
      'user text: @readme.md',
    ]);
    const added = { id: '1', type: 'user', content: [{ text: '- **Workspace Directories:**\n  - /a' }] };
    const unknown = { id: '2', type: 'error', content: 'Unknown command: /nosuch' };
    const plain = { id: '3', type: 'error', content: '[API Error: fetch failed]' };
    expect([added, unknown, plain].map(readGeminiLine)).toEqual([
      { messages: [], usage: [] },
      { messages: [], usage: [] },
      { messages: [], usage: [], turnEnd: { how: 'failed', error: 'fetch failed' } },
    ]);
  });

  it('of opencode, by each answer that is complete and calls no tools', () => {
    const rows = recorded('opencode-1.18.33-ends') as OpencodeRow[];
    expect(ends(rows.map(readOpencodeRow))).toEqual([
      'please break 500 : failed, the backend is on fire',
      'please break 401 : failed, this key is not known',
      'please break 429 : failed, too many of you',
      'hello again : answered',
    ]);
    const answer = (data: object) =>
      readOpencodeRow({ table: 'message', id: 'm', data: { role: 'assistant', time: { completed: 1 }, ...data } });
    expect(answer({ error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } }).turnEnd).toEqual({
      how: 'interrupted',
      error: null,
    });
    for (const goesOn of [{ finish: 'tool-calls' }, { time: {}, finish: 'stop' }, { summary: true, finish: 'stop' }]) {
      expect(answer(goesOn)).not.toHaveProperty('turnEnd');
    }
  });

  it('of Claude Code, by the last block of an answer, with errors of its provider and commands of its user', () => {
    const readings = recorded('claude-code-2.1.330-ends').map(readClaudeCodeLine);
    expect(ends(readings)).toEqual([
      'please break 500: failed, API Error: 500 the backend is on fire. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8080).',
      'please break 401: failed, Please run /login · API Error: 401 this key is not known',
      'please break 429: failed, API Error: Request rejected (429) · too many of you',
      'hello again: answered',
      '!echo hi: command',
      '!echo hi: answered',
      '/clear: command',
    ]);
    const commands = readings.flatMap(({ messages }) => messages.filter(({ command }) => command));
    expect(commands.map(({ text }) => text)).toEqual(['!echo hi', '/clear']);
  });

  it('of Claude Code, by a person who interrupted it', () => {
    const content = [{ type: 'text', text: '[Request interrupted by user]' }];
    const line = { type: 'user', uuid: 'u', message: { role: 'user', content } };
    expect(readClaudeCodeLine(line)).toEqual({ messages: [], usage: [], turnEnd: { how: 'interrupted', error: null } });
    const call = { type: 'assistant', uuid: 'a', message: { stop_reason: 'tool_use', content: [] } };
    expect(readClaudeCodeLine(call).turnEnd).toBeUndefined();
  });

  it('of Codex, by the event that ends each turn, also after a `!` command', () => {
    const readings = recorded('codex-0.169.0-ends').map(readCodexLine);
    expect(ends(readings)).toEqual([
      'please break 500: failed, We’re currently experiencing high demand, which may cause temporary errors.',
      'please break 401: failed, unexpected status 401 Unauthorized: this key is not known, url: http://127.0.0.1:8080/v1/responses',
      'please break 429: failed, exceeded retry limit, last status: 429 Too Many Requests',
      'hello again: answered',
      '!echo hi: command',
      '!echo hi: answered',
      'hello last: answered',
    ]);
    expect(outcome(readings).said).not.toContainEqual(expect.stringContaining('user_shell_command'));
    expect(
      readCodexLine({ type: 'event_msg', payload: { type: 'turn_aborted', reason: 'interrupted' } }),
    ).toMatchObject({
      turnEnd: { how: 'interrupted' },
    });
  });
});
