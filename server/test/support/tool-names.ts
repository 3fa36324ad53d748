/** The tools of the toolset `delegation`, in the order in which they are listed. */
const DELEGATION = [
  'list_sessions',
  'get_session_status',
  'send_message_to_session',
  'pause_session',
  'resume_session',
  'stop_session',
  'report_result',
  'wait_for_session',
  'read_session_output',
  'delegate_to_worktree',
];
const SESSIONS = [
  'agor_sessions_search',
  'agor_sessions_list',
  'agor_sessions_create',
  'agor_sessions_get',
  'agor_sessions_get_current',
  'agor_sessions_update',
  'agor_sessions_prompt',
  'agor_sessions_fork',
  'agor_sessions_spawn',
  'agor_sessions_genealogy',
];

/** Every tool of the two default toolsets, in the order in which they are listed. */
export const DEFAULT_SETS: readonly string[] = [...DELEGATION, ...SESSIONS];

/**
 * Every tool that is listed by default, in the order of the list: the default toolsets without two aliases of other
 * tools, plus three tools of other toolsets.
 */
export const DEFAULT_TOOLS: readonly string[] = [
  ...DEFAULT_SETS.filter((name) => !['agor_sessions_fork', 'agor_sessions_spawn'].includes(name)),
  'check_worktree',
  'integrate_worktree',
  'agor_tasks_get',
];

/** The tools of the other toolsets, in the order in which they are listed. */
export const FURTHER_TOOLS: readonly string[] = [
  'agor_repos_list',
  'agor_repos_get',
  'agor_worktrees_list',
  'agor_worktrees_create',
  'agor_worktrees_get',
  'agor_worktrees_update',
  'check_worktree',
  'integrate_worktree',
  'agor_boards_list',
  'agor_boards_get',
  'agor_boards_create',
  'agor_boards_duplicate',
  'agor_tasks_list',
  'agor_tasks_get',
  'agor_tasks_cancel',
  'agor_users_get_current',
  'agor_users_get',
  'agor_users_create',
  'orchestrations_run',
  'orchestrations_create',
  'orchestrations_list',
  'orchestrations_get',
  'orchestrations_start',
  'orchestrations_pause',
  'orchestrations_resume',
  'orchestrations_cancel',
  'orchestration_agents_add',
  'orchestration_agents_report',
  'orchestrations_events',
];
