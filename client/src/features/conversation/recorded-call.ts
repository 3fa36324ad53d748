import type { Message } from '@agent-console/shared/models/message';
import type { ToolKind } from '@agent-console/shared/models/tool-kind';
import { asFields, commandOf, fieldsText, shorten, type ToolCall, type ToolContent } from './tool-call.ts';

/**
 * Kind of each tool in recorded conversations, by a pattern that matches the tool's name. The first match applies, so
 * that the kind of `TodoRead` is `think`, not `read`.
 */
const KINDS: readonly [RegExp, ToolKind][] = [
  [/todo|plan|think/i, 'think'],
  [/bash|shell|exec|command|terminal/i, 'execute'],
  [/edit|write|patch|replace/i, 'edit'],
  [/fetch|web/i, 'fetch'],
  [/grep|glob|search|find|^ls$|list/i, 'search'],
  [/read|view|cat/i, 'read'],
];

/** Fields of a tool's input that describe the call, the most descriptive field first. */
const SUBJECTS = ['file_path', 'filePath', 'absolute_path', 'path', 'pattern', 'query', 'url', 'description', 'prompt'];

/** Reads a tool call that an agent recorded as the text `name(input)`. The input is JSON and may be cut off. */
export function recordedCall(parts: Message['parts'], cwd: string): ToolCall {
  const text = parts.map((part) => (typeof part.text === 'string' ? part.text : JSON.stringify(part))).join('\n');
  const [, name, argument = ''] = /^([\w.:/-]{1,100})\(([\s\S]*)\)?$/.exec(text) ?? [];
  const isCut = parts.some(({ truncated }) => truncated === true);
  if (name === undefined) return call({ title: text, isCut });
  const json = argument.replace(/\)$/, '');
  const input = parsed(json);
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
  const tool = name.replace(/^mcp__(.+?)__/, '$1: ');
  if (input === undefined) return call({ kind, tool, title: shorten(json, cwd).slice(0, 300), input: json, isCut });
  const command = commandOf(input);
  const subject = SUBJECTS.map((field) => input[field]).find((value) => typeof value === 'string' && value !== '');
  const content = changesOf(input, cwd);
  return call({
    kind,
    tool,
    title: shorten(command ?? String(subject ?? ''), cwd),
    content,
    input: command !== undefined || content.length > 0 ? '' : shorten(fieldsText(input), cwd),
  });
}

function call(known: Partial<ToolCall>): ToolCall {
  return {
    kind: 'other',
    status: 'unknown',
    tool: '',
    title: '',
    files: [],
    content: [],
    input: '',
    output: '',
    isCut: false,
    ...known,
  };
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    return asFields(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Returns the changes to a file, as the input of an editing tool describes them. */
function changesOf(input: Record<string, unknown>, cwd: string): ToolContent[] {
  const path = [input.file_path, input.filePath, input.path].find((value) => typeof value === 'string');
  if (typeof path !== 'string') return [];
  const edits = Array.isArray(input.edits) ? input.edits.map(asFields) : [input];
  return edits.flatMap((edit) => {
    const oldText = [edit.old_string, edit.oldString].find((value) => typeof value === 'string');
    const newText = [edit.new_string, edit.newString, edit.content].find((value) => typeof value === 'string');
    if (typeof newText !== 'string') return [];
    return [{ type: 'diff', path: shorten(path, cwd), oldText: typeof oldText === 'string' ? oldText : null, newText }];
  });
}
