import type { Message } from '@agent-console/shared/models/message';
import { TOOL_KINDS } from '@agent-console/shared/models/tool-kind';
import type { ContentBlock, PlanEntry, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import * as v from 'valibot';

/** The part of a stored message that an editor has received. */
export interface SentState {
  /** Revision of the message when it was last sent. */
  revision: number;
  /**
   * Number of the message's parts that were sent. If the last of them is text, `chars` is the number of its characters
   * that were sent.
   */
  parts: number;
  chars: number;
}

/** State of a message of which an editor has received nothing. */
const NOTHING_SENT: SentState = { revision: 0, parts: 0, chars: 0 };

/** Contents that a stored message only references by id. */
interface NamedContents {
  /** Output of the terminals in a tool call, by terminal id. */
  outputs: ReadonlyMap<string, string>;
  /** Images of a prompt as base64, by image id. */
  images: ReadonlyMap<string, string>;
}

/**
 * Returns the updates with which an editor shows a stored message. `shown` says which part of the message the editor
 * already has. Message chunks contain only new text; a changed tool call or plan is sent as a whole.
 */
export function updatesFor(
  message: Message,
  shown: SentState = NOTHING_SENT,
  { outputs, images }: NamedContents = { outputs: new Map(), images: new Map() },
): { updates: SessionUpdate[]; shown: SentState } {
  if (message.revision <= shown.revision) return { updates: [], shown };
  const updates =
    message.kind === 'toolCall'
      ? [toolCallOf(message, shown !== NOTHING_SENT, outputs)]
      : message.kind === 'plan'
        ? [planOf(message)]
        : chunksOf(message, shown, images);
  return { updates, shown: sentStateOf(message) };
}

/** Returns the `SentState` of an editor that has received the whole message. */
export function sentStateOf({ revision, parts }: Message): SentState {
  const last = parts.at(-1);
  return { revision, parts: parts.length, chars: typeof last?.text === 'string' ? last.text.length : 0 };
}

function chunksOf(
  { id, role, kind, parts }: Message,
  shown: SentState,
  images: NamedContents['images'],
): SessionUpdate[] {
  const sessionUpdate =
    role === 'user' ? 'user_message_chunk' : kind === 'thought' ? 'agent_thought_chunk' : 'agent_message_chunk';
  const chunk = (content: ContentBlock): SessionUpdate => ({ sessionUpdate, messageId: id, content });
  const last = parts[shown.parts - 1];
  const grown = typeof last?.text === 'string' ? last.text.slice(shown.chars) : '';
  return [
    ...(grown === '' ? [] : [chunk({ type: 'text', text: grown })]),
    ...parts.slice(shown.parts).map((part) => chunk(contentOf(part, images))),
  ];
}

/** Returns the ids of those images of a prompt that the editor has not received yet. */
export function imagesOf({ kind, parts }: Message, shown: SentState = NOTHING_SENT): string[] {
  if (kind !== 'text') return [];
  return parts
    .slice(shown.parts)
    .flatMap(({ type, imageId }) => (type === 'image' && imageId ? [String(imageId)] : []));
}

const optional = v.optional(v.nullable(v.string()));
/** Schema of the parts that are sent to the editor exactly as the agent sent them. */
const Content = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('image'), data: v.string(), mimeType: v.string(), uri: optional }),
  v.object({ type: v.literal('audio'), data: v.string(), mimeType: v.string() }),
  v.object({
    type: v.literal('resource_link'),
    uri: v.string(),
    name: v.string(),
    title: optional,
    description: optional,
    mimeType: optional,
  }),
  v.object({
    type: v.literal('resource'),
    resource: v.union([
      v.object({ uri: v.string(), text: v.string(), mimeType: optional }),
      v.object({ uri: v.string(), blob: v.string(), mimeType: optional }),
    ]),
  }),
]);

/** Converts a part of a message to content of the Agent Client Protocol. A part with an unknown type becomes text. */
function contentOf(part: Message['parts'][number], images: NamedContents['images'] = new Map()): ContentBlock {
  const data = images.get(String(part.imageId));
  const { success, output } = v.safeParse(Content, data === undefined ? part : { ...part, data });
  if (!success && part.truncated === true) return { type: 'text', text: `[${part.type}, too large to be shown]` };
  return success ? (output as ContentBlock) : { type: 'text', text: JSON.stringify(part) };
}

const Kind = v.fallback(v.picklist(TOOL_KINDS), 'other');
const Status = v.fallback(v.picklist(['pending', 'in_progress', 'completed', 'failed']), 'completed');
const Location = v.object({ path: v.string(), line: v.nullable(v.number()) });
const ToolCallPart = v.object({
  title: v.fallback(v.string(), 'Tool call'),
  kind: Kind,
  status: Status,
  content: v.fallback(v.array(v.record(v.string(), v.unknown())), []),
  locations: v.fallback(v.array(Location), []),
  input: v.optional(v.unknown()),
  output: v.optional(v.unknown()),
});

/** The message's id is used as the id of the call, because agents reuse ids of calls in later turns. */
function toolCallOf({ id, parts }: Message, isKnown: boolean, outputs: ReadonlyMap<string, string>): SessionUpdate {
  const [part = {}] = parts;
  const fields = part.type === 'toolCall' ? recordedCall(part, outputs) : callWithText(part);
  const call = { toolCallId: id, ...fields };
  return isKnown ? { sessionUpdate: 'tool_call_update', ...call } : { sessionUpdate: 'tool_call', ...call };
}

function recordedCall(part: Message['parts'][number], outputs: ReadonlyMap<string, string>) {
  const { content, locations, input, output, ...fields } = v.parse(ToolCallPart, part);
  return {
    ...fields,
    content: content.map((each) => toolContentOf(each, outputs)),
    locations,
    ...(input === undefined ? {} : { rawInput: input }),
    ...(output === undefined ? {} : { rawOutput: output }),
  };
}

/**
 * Converts a tool call from the transcript of an agent in a terminal. Such a transcript contains tool calls only as
 * text.
 */
function callWithText(part: Message['parts'][number]) {
  const text = typeof part.text === 'string' ? part.text : JSON.stringify(part);
  const [title = ''] = text.split('\n', 1);
  const content: ToolCallContent[] = title === text ? [] : [{ type: 'content', content: { type: 'text', text } }];
  return { title, kind: 'other' as const, status: 'completed' as const, content };
}

/** Returns the ids of those terminals in a tool call whose output is missing from the stored message. */
export function terminalsOf({ kind, parts }: Message): string[] {
  const content = kind === 'toolCall' ? parts[0]?.content : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap(({ type, terminalId, output }) =>
    type === 'terminal' && output === undefined ? [String(terminalId)] : [],
  );
}

const DiffPart = v.object({
  type: v.literal('diff'),
  path: v.string(),
  oldText: v.optional(v.nullable(v.string()), null),
  newText: v.string(),
});

function toolContentOf(part: Message['parts'][number], outputs: ReadonlyMap<string, string>): ToolCallContent {
  const diff = v.safeParse(DiffPart, part);
  if (diff.success && part.truncated !== true) return diff.output;
  if (part.type === 'diff') return textContent(`The change to ${part.path} is too large to be shown.`);
  // A terminal of the console is sent as text, because the protocol allows only references to terminals of the editor.
  if (part.type === 'terminal') {
    const stored = typeof part.output === 'string' ? part.output || 'No output.' : undefined;
    const text = stored ?? (outputs.get(String(part.terminalId)) || 'The command runs in a terminal.');
    return textContent(text);
  }
  const content = part.type === 'content' ? part.content : part;
  return { type: 'content', content: contentOf(content as Message['parts'][number]) };
}

const textContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } });

const Entry = v.object({
  content: v.fallback(v.string(), ''),
  priority: v.fallback(v.picklist(['high', 'medium', 'low']), 'medium'),
  status: v.fallback(v.picklist(['pending', 'in_progress', 'completed']), 'pending'),
});

function planOf({ parts }: Message): SessionUpdate {
  const entries: PlanEntry[] = parts.map((part) =>
    v.parse(Entry, part.type === 'omitted' ? { content: `${part.count} more plan entries, not shown` } : part),
  );
  return { sessionUpdate: 'plan', entries };
}
