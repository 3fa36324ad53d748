import { ConsoleError } from '@agent-console/shared/errors';
import { type AgentKind, unsupportedConversation } from './kind.ts';

/** Any command: started as it was given, prompted by typing, read by the general meaning of progress sequences only. */
export const customKind: AgentKind = {
  id: 'custom',
  commandCharacters: [],
  safePrefix: null,
  environment: [],
  nativeId: 'none',
  supportsResume: false,
  supportsFork: false,
  // A program that does not know the marks would take them for input.
  bracketedPaste: false,
  start({ definition, conversation }) {
    if (conversation.mode !== 'new') throw unsupportedConversation('custom', conversation.mode);
    const [file, ...args] = definition.command;
    if (!file) {
      const message = `Agent ${definition.id} has no command; give it one, e.g. ["my-agent", "--interactive"]`;
      throw new ConsoleError('VALIDATION', message, { agentId: definition.id });
    }
    return { file, args, env: {} };
  },
  readTitle: () => null,
  readProgress: {},
};
