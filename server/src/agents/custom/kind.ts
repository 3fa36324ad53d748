import { ConsoleError } from '@agent-console/shared/errors';
import { type AgentKind, unsupportedConversation } from '../common/kind.ts';

/** Any command: started as defined, prompted by typing, and read only by the general meaning of progress sequences. */
export const customKind: AgentKind = {
  id: 'custom',
  name: 'Custom command',
  program: null,
  builtIn: false,
  commandCharacters: [],
  safePrefix: null,
  trailingSpace: false,
  environment: [],
  nativeId: 'none',
  switchesConversation: false,
  conversationId: (sessionId) => sessionId,
  supportsResume: false,
  supportsFork: false,
  // Without bracketed paste, a program would read the markers as input.
  bracketedPaste: false,
  defaultMode: 'acceptEdits',
  permission: (requested) => ({ mode: requested, note: null }),
  readsHelp: false,
  reports: 'never',
  recordsTurnEnds: false,
  connects: 'never',
  mcpTransports: [],
  trustFolder: () => ({ args: [], env: {} }),
  note: 'The permission mode is stored but not passed to the command. Add the flags that your agent needs to its command.',
  userFiles: [],
  namedVariables: () => [],
  login: null,
  keys: { interrupt: '\x03', clearLine: '\x15' },
  start({ definition, conversation }) {
    if (conversation.mode !== 'new') throw unsupportedConversation('custom', conversation.mode);
    const [file, ...args] = definition.command;
    if (!file) {
      const message = `Agent ${definition.id} has no command; set one, e.g. ["my-agent", "--interactive"]`;
      throw new ConsoleError('VALIDATION', message, { agentId: definition.id });
    }
    return { file, args, env: {}, files: {}, overlay: null };
  },
  oneShot: null,
  openConversations: null,
  registration: null,
  readTitle: () => null,
  readProgress: {},
  readScreen: () => null,
  readInput: null,
  readSignal: () => [],
};
