import {
  DELEGATION_CHILDREN_DEFAULT,
  DELEGATION_DEPTH_DEFAULT,
  IDLE_PAUSE_AFTER_MS,
  LIVE_SESSIONS_DEFAULT,
  REMINDER_AFTER_MS,
} from '@agent-console/shared/limits/sessions';
import type { Settings } from '@agent-console/shared/models/settings';
import type { Storage } from '../ports/storage.ts';

export interface SettingsReader {
  current(): Promise<Settings>;
}

const DEFAULTS: Settings = {
  defaultAgentId: 'claude-code',
  branchNames: 'agent',
  delegationDepth: DELEGATION_DEPTH_DEFAULT,
  delegationChildren: DELEGATION_CHILDREN_DEFAULT,
  liveSessions: LIVE_SESSIONS_DEFAULT,
  reminderSeconds: REMINDER_AFTER_MS / 1_000,
  idlePauseMinutes: IDLE_PAUSE_AFTER_MS / 60_000,
  orchestrationRetentionDays: 0,
  archiveOrchestrations: 'yes',
  editorCommand: '',
  editorUrl: '',
};

/** Creates the reader of the current settings. Stored values take precedence over the defaults. */
export function createSettings({ storage }: { storage: Pick<Storage, 'read'> }): SettingsReader {
  return {
    async current() {
      return { ...DEFAULTS, ...(await storage.read.settings.all()) } as Settings;
    },
  };
}
