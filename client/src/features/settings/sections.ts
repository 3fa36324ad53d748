export type SettingsSection =
  | 'general'
  | 'agents'
  | 'mcp-servers'
  | 'appearance'
  | 'keys'
  | 'tokens'
  | 'users'
  | 'events'
  | 'audit'
  | 'about';

interface Section {
  id: SettingsSection;
  name: string;
  group: string;
  lead?: string;
}

export const SETTINGS_SECTIONS: readonly [Section, ...Section[]] = [
  {
    id: 'general',
    name: 'General',
    group: 'Console',
    lead: 'How the console runs sessions, for everyone who uses it.',
  },
  {
    id: 'agents',
    name: 'Agents',
    group: 'Console',
    lead: 'Agents that sessions can run: any command that runs in a terminal or speaks the Agent Client Protocol.',
  },
  {
    id: 'mcp-servers',
    name: 'MCP servers',
    group: 'Console',
    lead: 'Servers that give agents additional tools. Choose them in the dialog that creates a session or delegates a task.',
  },
  { id: 'appearance', name: 'Appearance', group: 'This browser' },
  {
    id: 'keys',
    name: 'Keyboard',
    group: 'This browser',
    lead: 'Select the keys of a shortcut to change them. Changes are stored in this browser.',
  },
  {
    id: 'tokens',
    name: 'Logins and tokens',
    group: 'Access',
    lead: 'Browsers and programs that can use the console, and until when.',
  },
  {
    id: 'users',
    name: 'Users',
    group: 'Access',
    lead: 'People who use this console. A user logs in with a token that you create.',
  },
  { id: 'events', name: 'Events', group: 'Activity', lead: 'What happened in the console, newest first.' },
  {
    id: 'audit',
    name: 'Audit log',
    group: 'Activity',
    lead: 'Recorded calls: every change, every call by an agent or over MCP, and every refused or failed call of a known caller. The content of calls is not recorded.',
  },
  { id: 'about', name: 'About', group: 'Activity' },
];
