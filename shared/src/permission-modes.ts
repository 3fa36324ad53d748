import type { PermissionMode } from './models/session.ts';

/**
 * Name and description of each permission mode, for people. The agent's own modes differ in detail, so the descriptions
 * state only what is true for every agent that has the mode.
 */
export const PERMISSION_MODES: Readonly<Record<PermissionMode, { name: string; description: string }>> = {
  default: { name: 'Default', description: 'Asks before edits and commands' },
  acceptEdits: { name: 'Accept edits', description: 'Edits without asking, asks before commands' },
  bypassPermissions: { name: 'Bypass permissions', description: 'Never asks' },
  plan: { name: 'Plan', description: 'Plans without changing anything' },
  ask: { name: 'Ask', description: 'Asks before doing anything except reading' },
  auto: { name: 'Auto', description: 'Works in its sandbox, and asks before leaving it' },
  'on-failure': { name: 'Ask on failure', description: 'Asks when its sandbox blocks a command' },
  'allow-all': { name: 'Allow all', description: 'Never asks' },
};
