import { shortId } from '@agent-console/shared/ids';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useQueries } from '@tanstack/react-query';
import { operationQuery, useOperationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { useRepositories } from '../../features/repositories/RepositoryField.tsx';
import { sessionName } from '../../features/sessions/badge.ts';
import { useSessions } from '../../features/sessions/sessions-store.ts';
import { useAgents } from '../../features/settings/AgentField.tsx';
import type { Option } from '../../ui/Select.tsx';

/** Maximum number of tasks and delegations that are suggested. Older ones can be entered by id. */
const RECENT = 100;

/**
 * Returns a function that suggests ids, with names, of a kind of entity such as `session`. Tasks, delegations, tokens
 * and worktrees are fetched only if `nouns` contains them.
 */
export function useIdOptions(nouns: readonly string[]): (noun: string) => readonly Option[] {
  const needs = (noun: string) => ({ enabled: nouns.includes(noun) });
  const { order, sessions } = useSessions();
  const repositories = useRepositories();
  const agents = useAgents();
  const tasks = useOperationQuery('tasks.list', { limit: RECENT }, needs('task'));
  const delegations = useOperationQuery('delegations.list', { limit: RECENT }, needs('delegation'));
  const tokens = useOperationQuery('tokens.list', { limit: PAGE_MAX }, needs('token'));
  const worktrees = useQueries(
    {
      queries: (repositories.data?.data ?? []).map(({ id }) => ({
        ...operationQuery('worktrees.list', { repositoryId: id, limit: PAGE_MAX }),
        ...needs('worktree'),
      })),
    },
    queryClient,
  );
  const option = (id: string, label: string): Option => ({ value: id, label, note: shortId(id) });
  const known = order.flatMap((id) => sessions[id] ?? []);
  return (noun) => {
    switch (noun) {
      case 'session':
        return known.map((session) => option(session.id, sessionName(session)));
      case 'worker':
        return known.flatMap((session) =>
          session.workers.map(({ id, type, state }) => option(id, `${sessionName(session)}: ${type}, ${state}`)),
        );
      case 'repository':
        return (repositories.data?.data ?? []).map(({ id, name }) => option(id, name));
      case 'worktree':
        return worktrees.flatMap(({ data }) =>
          (data?.data ?? []).map(({ id, name, branch }) => option(id, `${name} ${branch ?? ''}`)),
        );
      case 'task':
        return (tasks.data?.data ?? []).map(({ id, prompt, status }) =>
          option(id, `${status}: ${prompt.split('\n')[0]}`),
        );
      case 'delegation':
        return (delegations.data?.data ?? []).map(({ id, branch, state }) => option(id, `${branch}: ${state}`));
      case 'token':
        return (tokens.data?.data ?? []).map(({ id, name }) => option(id, name));
      case 'agent':
        return (agents.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name, note: id }));
      default:
        return [];
    }
  };
}
