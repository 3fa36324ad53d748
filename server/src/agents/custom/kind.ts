import { type AgentKind, KIND_DEFAULTS, unsupportedConversation } from '../common/kind.ts';
import { definedCommand } from '../common/start.ts';

/**
 * The kind for every command that has no kind of its own. The console starts the command as defined and types prompts
 * into it. From the command's output, the console reads only the terminal's progress sequences.
 */
export const customKind: AgentKind = {
  ...KIND_DEFAULTS,
  id: 'custom',
  name: 'Custom command',
  builtIn: false,
  nativeId: 'none',
  supportsResume: false,
  supportsFork: false,
  // A program that does not support bracketed paste would read the paste markers as input.
  bracketedPaste: false,
  connects: 'never',
  mcpTransports: [],
  note: 'The permission mode is stored but not passed to the command. If your agent needs permission flags, add them to its command.',
  start({ definition, conversation }) {
    if (conversation.mode !== 'new') throw unsupportedConversation('custom', conversation.mode);
    return { ...definedCommand({ definition }, '--interactive'), env: {}, files: {}, overlay: null };
  },
  openConversations: null,
  readTitle: () => null,
  readProgress: {},
  readScreen: () => null,
  readInput: null,
  readSignal: () => [],
};
