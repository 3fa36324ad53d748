// Rows to insert, for tests that need only a few of their fields.
import type { NewRow } from '../../src/ports/rows.ts';

const at = '2026-01-01T00:00:00.000Z';

export function sessionRow(id: string, over: Partial<NewRow<'sessions'>> = {}): NewRow<'sessions'> {
  return {
    id,
    type: 'quick',
    cwd: '/code',
    agentId: 'scripted',
    title: '',
    description: '',
    queueHeld: false,
    permissionMode: 'default',
    permissionCeiling: 'default',
    depth: 0,
    createdAt: at,
    updatedAt: at,
    ...over,
  };
}

export function messageRow(
  id: string,
  sessionId: string,
  text: string,
  over: Partial<NewRow<'messages'>> = {},
): NewRow<'messages'> {
  return {
    id,
    sessionId,
    seq: Number(id.replace(/\D/g, '')),
    role: 'agent',
    kind: 'text',
    parts: [{ type: 'text', text }],
    source: 'transcript',
    createdAt: at,
    ...over,
  };
}

export function taskRow(
  id: string,
  sessionId: string,
  prompt: string,
  over: Partial<NewRow<'tasks'>> = {},
): NewRow<'tasks'> {
  return {
    id,
    sessionId,
    kind: 'prompt',
    prompt,
    sourceKind: 'person',
    notifyOnCompletion: true,
    position: 1,
    createdAt: at,
    ...over,
  };
}

export function orchestrationRow(id: string, over: Partial<NewRow<'orchestrations'>> = {}): NewRow<'orchestrations'> {
  return {
    id,
    workspaceHash: '0123456789abcdef',
    objective: 'Build the shop',
    strategy: 'parallel',
    createdAt: at,
    repositoryId: 'r',
    isolation: 'own',
    base: 'main',
    onFailure: 'continue',
    onInterrupted: 'resume',
    acceptUnreported: false,
    roleLimits: {},
    ...over,
  };
}
