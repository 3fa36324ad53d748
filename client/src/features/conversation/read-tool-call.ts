import type { Message } from '@agent-console/shared/models/message';
import { TOOL_KINDS } from '@agent-console/shared/models/tool-kind';
import { recordedCall } from './recorded-call.ts';
import {
  asFields,
  commandOf,
  type EndedTerminal,
  fieldsText,
  shorten,
  type ToolCall,
  type ToolContent,
  type ToolStatus,
} from './tool-call.ts';

type Part = Message['parts'][number];

const STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed', 'failed'];

/**
 * Reads a message of kind `toolCall`.
 * @param cwd the session's folder; paths in it are shown relative to it
 */
export function toolCallOf({ parts }: Pick<Message, 'parts'>, cwd: string): ToolCall {
  const [part = { type: '' }] = parts;
  if (part.type !== 'toolCall') return recordedCall(parts, cwd);
  const content = (Array.isArray(part.content) ? part.content : []).flatMap((each) => contentOf(each, cwd));
  const command = commandOf(part.input);
  const title = titleOf(part, command);
  const files = filesOf(part, content, cwd);
  const texts = new Set(content.map((each) => (each.type === 'text' ? unfenced(each.text) : '')));
  const output = outputOf(part.output);
  return {
    kind: TOOL_KINDS.find((kind) => kind === part.kind) ?? 'other',
    status: STATUSES.includes(part.status) ? (part.status as ToolStatus) : 'unknown',
    tool: '',
    title: shorten(title, cwd),
    files: files.filter((file) => !title.includes(file.replace(/:\d+$/, ''))),
    content,
    input:
      command !== undefined && title.includes(command) ? '' : shorten(command ?? inputOf(part.input, content), cwd),
    output: texts.has(output.trim()) ? '' : output,
    isCut: part.truncated !== undefined,
  };
}

function titleOf({ title, kind }: Part, command: string | undefined): string {
  const text = typeof title === 'string' ? title.trim() : '';
  // Some agents send the command as the title, in backticks.
  const quoted = /^`([^`]+)`$/.exec(text)?.[1];
  return (quoted ?? text) || (command ?? (typeof kind === 'string' ? kind : 'Tool call'));
}

function filesOf({ locations }: Part, content: readonly ToolContent[], cwd: string): string[] {
  const given = Array.isArray(locations) ? locations : [];
  const files = given.map(({ path, line }) => shorten(line == null ? String(path) : `${path}:${line}`, cwd));
  const changed = content.flatMap((each) => ('path' in each ? [each.path] : []));
  return [...new Set([...files, ...changed])];
}

function contentOf(value: unknown, cwd: string): ToolContent[] {
  const fields = asFields(value);
  const { type, content, path, oldText, newText, terminalId } = fields;
  if (type === 'diff' && fields.truncated === true) return [{ type: 'unstoredDiff', path: shorten(String(path), cwd) }];
  if (type === 'diff' && typeof newText === 'string') {
    return [{ type, path: shorten(String(path), cwd), oldText: typeof oldText === 'string' ? oldText : null, newText }];
  }
  if (type === 'terminal' && typeof terminalId === 'string') {
    return [{ type, workerId: terminalId, ended: endedTerminalOf(fields) }];
  }
  const text = type === 'content' ? blockText(asFields(content)) : '';
  return text === '' ? [] : [{ type: 'text', text }];
}

function endedTerminalOf({ output, truncated, exitCode, signal }: Record<string, unknown>): EndedTerminal | null {
  if (typeof output !== 'string') return null;
  const end =
    typeof signal === 'string'
      ? `terminated by ${signal}`
      : typeof exitCode === 'number'
        ? `exit status ${exitCode}`
        : '';
  return { output, truncated: truncated === true, end };
}

/** Returns the text of a content block. Images and sound are not shown, so only their type is returned. */
export function blockText(block: Part): string {
  const { type, text, uri, name, mimeType, resource } = block;
  if (typeof text === 'string') return text;
  if (type === 'resource_link') return `${name ?? 'File'}: ${uri}`;
  if (type === 'resource') {
    const { text: inner, uri: address } = asFields(resource);
    return typeof inner === 'string' ? `${address}\n${inner}` : String(address);
  }
  if (type === 'image' || type === 'audio') return `[${type}, ${mimeType}]`;
  const { type: _, ...rest } = block;
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
}

/** Formats a tool's input. The input of an edit is left out, because the diff shows it. */
function inputOf(input: unknown, content: readonly ToolContent[]): string {
  if (content.some((each) => 'path' in each)) return '';
  return typeof input === 'string' ? input : fieldsText(input);
}

/** Fields in which agents report the text of a tool's output. The first field that is not empty is shown. */
const OUTPUTS = ['formatted_output', 'aggregated_output', 'output', 'text', 'content', 'error'];

/** Formats a tool's output: its text; without text, its stdout and stderr; without these, all fields. */
function outputOf(output: unknown): string {
  if (typeof output === 'string') return output;
  const fields = asFields(output);
  const streams = [fields.stdout, fields.stderr].filter((each) => typeof each === 'string' && each !== '');
  const text = OUTPUTS.map((name) => fields[name]).find((each) => typeof each === 'string' && each !== '');
  return typeof text === 'string' ? text : streams.length > 0 ? streams.join('\n') : fieldsText(output);
}

/** Removes the code fence around a text, because some agents put a tool's output into a fence. */
export function unfenced(text: string): string {
  return (/^\s*(`{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text).trim();
}
