import type { AgentSignal } from '../../ports/agents.ts';
import { asFields, asShortText, type Fields } from './fields.ts';

/**
 * Reads an event of a hook that both Claude Code and Codex have; returns an empty list for every other event.
 * `subjectFields` are the fields of a tool's input that may contain the subject of a permission question; the first
 * field present is used.
 */
export function readHookEvent(data: Fields, nativeId: string | null, subjectFields: readonly string[]): AgentSignal[] {
  switch (data.hook_event_name) {
    case 'SessionStart':
      return [{ type: 'conversationStarted', nativeId }];
    case 'UserPromptSubmit':
      return [{ type: 'turnStarted', nativeId, prompt: asShortText(data.prompt) }];
    case 'PermissionRequest': {
      const tool = asShortText(data.tool_name);
      const input = asFields(data.tool_input);
      const subject = subjectFields.flatMap((name) => asShortText(input[name]) ?? []).slice(0, 1);
      return [{ type: 'asking', nativeId, tool, text: [...(tool === null ? [] : [tool]), ...subject].join(': ') }];
    }
    case 'PostToolUse':
      return [{ type: 'answered', nativeId }];
    case 'Stop':
      return [{ type: 'turnEnded', nativeId, lastMessage: asShortText(data.last_assistant_message) }];
    case 'SessionEnd':
      return [{ type: 'ended', nativeId }];
    default:
      return [];
  }
}
