import { ConsoleError } from '@agent-console/shared/errors';
import { type AgentKind, unsupportedConversation } from './kind.ts';

/** Any command: started as it was given, prompted by typing, read by the general meaning of progress sequences only. */
export const customKind: AgentKind = {
  id: 'custom',
  name: 'Custom command',
  program: null,
  commandCharacters: [],
  safePrefix: null,
  blankBehind: false,
  environment: [],
  nativeId: 'none',
  switchesConversation: false,
  conversationId: (sessionId) => sessionId,
  supportsResume: false,
  supportsFork: false,
  // A program that does not know the marks would take them for input.
  bracketedPaste: false,
  defaultMode: 'acceptEdits',
  permission: (requested) => ({ mode: requested, note: null }),
  readsHelp: false,
  reports: 'never',
  recordsEnds: false,
  connects: 'never',
  mcpTransports: [],
  trustFolder: () => ({ args: [], env: {} }),
  note: 'A permission mode is stored but not passed on: put flags of its own into the command.',
  userFiles: [],
  namedVariables: () => [],
  login: null,
  keys: { interrupt: '\x03', clearLine: '\x15' },
  start({ definition, conversation }) {
    if (conversation.mode !== 'new') throw unsupportedConversation('custom', conversation.mode);
    const [file, ...args] = definition.command;
    if (!file) {
      const message = `Agent ${definition.id} has no command; give it one, e.g. ["my-agent", "--interactive"]`;
      throw new ConsoleError('VALIDATION', message, { agentId: definition.id });
    }
    return { file, args, env: {}, files: {}, overlay: null };
  },
  oneShot: null,
  readTitle: () => null,
  readProgress: {},
  readScreen: () => null,
  readLine: null,
  readSignal: () => [],
};
