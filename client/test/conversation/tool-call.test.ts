import { describe, expect, it } from 'vitest';
import { toolCallOf } from '../../src/features/conversation/read-tool-call.ts';
import { toolDiff } from '../../src/features/conversation/tool-diff.ts';

const CWD = '/work/shop';
const acp = (fields: object) => toolCallOf({ parts: [{ type: 'toolCall', callId: '1', ...fields }] }, CWD);
const recorded = (text: string) => toolCallOf({ parts: [{ type: 'text', text }] }, CWD);

describe('a tool call over ACP', () => {
  it('has paths relative to the folder of its session', () => {
    const call = acp({
      title: `Read ${CWD}/src/a.ts`,
      kind: 'read',
      status: 'completed',
      locations: [{ path: `${CWD}/src/a.ts`, line: 3 }, { path: '/etc/hosts' }],
      content: [{ type: 'content', content: { type: 'text', text: 'one\ntwo' } }],
    });
    expect(call).toMatchObject({ kind: 'read', status: 'completed', title: 'Read src/a.ts', input: '', output: '' });
    expect(call.files).toEqual(['/etc/hosts']);
    expect(call.content).toEqual([{ type: 'text', text: 'one\ntwo' }]);
  });

  it('says what was too large to be stored', () => {
    const diff = { type: 'diff', path: `${CWD}/a.ts`, oldText: 'old', truncated: true };
    const call = acp({ title: 'Edit', content: [diff], input: { path: 'a.ts' }, truncated: ['content'] });
    expect(call).toMatchObject({ isCut: true, content: [{ type: 'unstoredDiff', path: 'a.ts' }], files: ['a.ts'] });
    expect(acp({ title: 'Edit' }).isCut).toBe(false);
    expect(toolCallOf({ parts: [{ type: 'text', text: 'Write({"a', truncated: true }] }, CWD).isCut).toBe(true);
  });

  it('shows its command once, and its output once', () => {
    const text = '```console\n1 failed\n```';
    const call = acp({
      title: '`npm test`',
      kind: 'execute',
      status: 'failed',
      input: { command: ['bash', '-lc', 'npm test'] },
      output: '1 failed\n',
      content: [{ type: 'content', content: { type: 'text', text } }],
    });
    expect(call).toMatchObject({ title: 'npm test', status: 'failed', input: '', output: '' });
    expect(acp({ title: 'Run the tests', kind: 'execute', input: { command: 'npm test' } }).input).toBe('npm test');
  });

  it.each([
    ['text', 'text'],
    [{ formatted_output: 'all', stdout: 'out', exit_code: 1 }, 'all'],
    [{ stdout: 'out', stderr: 'err', exit_code: 1 }, 'out\nerr'],
    [{ stdout: '', stderr: '', exit_code: 0 }, 'stdout: \nstderr: \nexit_code: 0'],
    [{ matches: [{ line: 1 }] }, JSON.stringify({ matches: [{ line: 1 }] }, null, 2)],
    [42, '42'],
    [false, 'false'],
    [{}, ''],
    [null, ''],
  ])('shows the text of its output %j', (output, text) => {
    expect(acp({ title: 'Run', output }).output).toBe(text);
  });

  it.each([
    [{ exitCode: 1, signal: null }, 'exit status 1'],
    [{ exitCode: null, signal: 'SIGTERM' }, 'terminated by SIGTERM'],
    [{ exitCode: null, signal: null }, ''],
  ])('shows the output of a removed terminal and how its command ended: %j', (exit, end) => {
    const part = { type: 'terminal', terminalId: 'w', output: 'one\n', truncated: true, ...exit };
    expect(acp({ title: 'Run', content: [part] }).content).toEqual([
      { type: 'terminal', workerId: 'w', ended: { output: 'one\n', truncated: true, end } },
    ]);
  });

  it('has diffs and terminals, and fields of its input', () => {
    const diff = { type: 'diff', path: `${CWD}/a.ts`, oldText: 'a\n', newText: 'b\n' };
    const call = acp({ title: 'Edit', input: { file: 1 }, content: [diff, { type: 'terminal', terminalId: 'w' }] });
    expect(call.content).toEqual([
      { type: 'diff', path: 'a.ts', oldText: 'a\n', newText: 'b\n' },
      { type: 'terminal', workerId: 'w', ended: null },
    ]);
    expect(call.files).toEqual(['a.ts']);
    expect(call.input).toBe('');
    expect(acp({ input: { path: `${CWD}/src`, depth: 2 } }).input).toBe('path: src\ndepth: 2');
    expect(acp({ input: { list: [1] } }).input).toBe('{\n  "list": [\n    1\n  ]\n}');
  });

  it.each([
    [{}],
    [{ title: null, content: 'x', locations: 'x', input: null }],
    [{ content: [null, 1, { type: 'diff' }] }],
  ])('is shown even if fields are missing or invalid: %j', (fields) => {
    expect(acp(fields)).toMatchObject({ kind: 'other', status: 'unknown', title: 'Tool call', content: [] });
  });
});

describe('a tool call of a recorded conversation', () => {
  it.each([
    ['Bash({"command":"npm test","description":"Run"})', 'execute', 'Bash', 'npm test'],
    ['Read({"file_path":"/work/shop/src/a.ts"})', 'read', 'Read', 'src/a.ts'],
    ['Grep({"pattern":"login","path":"/work/shop"})', 'search', 'Grep', '.'],
    ['mcp__agent-console__report_result({"outcome":"succeeded"})', 'other', 'agent-console: report_result', ''],
    ['shell({"command":["bash","-lc","ls -l"]})', 'execute', 'shell', 'ls -l'],
    ['apply_patch(*** Begin Patch)', 'edit', 'apply_patch', '*** Begin Patch'],
  ])('%s', (text, kind, tool, title) => {
    expect(recorded(text)).toMatchObject({ kind, tool, title, status: 'unknown' });
  });

  it('has the diff of an edit', () => {
    const edit = { file_path: '/work/shop/a.ts', old_string: 'a', new_string: 'b' };
    expect(recorded(`Edit(${JSON.stringify(edit)})`)).toMatchObject({
      title: 'a.ts',
      input: '',
      content: [{ type: 'diff', path: 'a.ts', oldText: 'a', newText: 'b' }],
    });
  });

  it('is shown as text if it was truncated', () => {
    expect(recorded('Write({"file_path":"/work/shop/a.ts","content":"abc')).toMatchObject({
      kind: 'edit',
      tool: 'Write',
      title: '{"file_path":"a.ts","content":"abc',
    });
    expect(recorded('no call')).toMatchObject({ tool: '', title: 'no call' });
  });
});

it('the diff of a file has three lines of context', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const { hunks, additions, deletions } = toolDiff(lines.join('\n'), lines.with(9, 'new').join('\n'));
  expect({ additions, deletions }).toEqual({ additions: 1, deletions: 1 });
  expect(hunks?.map(({ oldStart, lines: { length } }) => [oldStart, length])).toEqual([[7, 8]]);
  expect(toolDiff(null, 'a\nb\n')).toMatchObject({ additions: 2, deletions: 0 });
});
