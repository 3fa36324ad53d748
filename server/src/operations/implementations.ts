import { agentOperations, replayAgent } from './agents.ts';
import { approvalOperations } from './approvals.ts';
import { auditOperations } from './audit.ts';
import { boardOperations } from './boards.ts';
import { delegationOperations, replayDelegation } from './delegations.ts';
import { editorOperations } from './editor.ts';
import { folderOperations } from './folders.ts';
import { inboxOperations } from './inbox.ts';
import { integrationOperations, replayIntegration } from './integrations.ts';
import { mcpServerOperations } from './mcp-servers.ts';
import { nameOperations } from './names.ts';
import type { Implementations, OperationContext, Replays } from './operation.ts';
import { orchestrationCleanupOperations } from './orchestration-cleanup.ts';
import { orchestrationDefinitionOperations, replayRun } from './orchestration-definitions.ts';
import { orchestrationOperations, replayOrchestration } from './orchestrations.ts';
import { outputOperations } from './output.ts';
import { overlapOperations } from './overlaps.ts';
import { pruningOperations } from './pruning.ts';
import { repositoryOperations } from './repositories.ts';
import { resourceOperations } from './resources.ts';
import { replayBranch, sessionBranches } from './sessions/branches.ts';
import { replaySession, sessionCreation } from './sessions/create.ts';
import { sessionDetails } from './sessions/details.ts';
import { sessionImages } from './sessions/images.ts';
import { sessionLifecycle } from './sessions/lifecycle.ts';
import { sessionLists } from './sessions/list.ts';
import { sessionOptions } from './sessions/options.ts';
import { replayPrompt, sessionPrompts } from './sessions/prompts.ts';
import { sessionUpdates } from './sessions/update.ts';
import { sessionWaiting } from './sessions/wait.ts';
import { settingsOperations } from './settings.ts';
import { systemOperations } from './system.ts';
import { replayRetry, taskOperations } from './tasks.ts';
import { terminalOperations } from './terminals.ts';
import { tokenOperations } from './tokens.ts';
import { userOperations } from './users.ts';
import { replayWorker, workerOperations } from './workers.ts';
import { replayChange, worktreeChangeOperations } from './worktree-changes.ts';
import { replayWorktree, worktreeCreation } from './worktree-creation.ts';
import { worktreeRemoval } from './worktree-removal.ts';
import { worktreeOperations } from './worktrees.ts';
import { zoneOperations } from './zones.ts';

/** Returns the implementations of all operations. A missing one is a compile error. */
export function implementOperations(context: OperationContext): Implementations {
  return {
    ...approvalOperations(context),
    ...agentOperations(context),
    ...auditOperations(context),
    ...boardOperations(context),
    ...zoneOperations(context),
    ...delegationOperations(context),
    ...systemOperations(context),
    ...settingsOperations(context),
    ...tokenOperations(context),
    ...userOperations(context),
    ...mcpServerOperations(context),
    ...repositoryOperations(context),
    ...folderOperations(context),
    ...taskOperations(context),
    ...workerOperations(context),
    ...terminalOperations(context),
    ...resourceOperations(context),
    ...outputOperations(context),
    ...nameOperations(context),
    ...worktreeOperations(context),
    ...worktreeCreation(context),
    ...editorOperations(context),
    ...worktreeRemoval(context),
    ...worktreeChangeOperations(context),
    ...integrationOperations(context),
    ...overlapOperations(context),
    ...orchestrationCleanupOperations(context),
    ...orchestrationOperations(context),
    ...orchestrationDefinitionOperations(context),
    ...pruningOperations(context),
    ...inboxOperations(context),
    ...sessionLists(context),
    ...sessionOptions(context),
    ...sessionDetails(context),
    ...sessionCreation(context),
    ...sessionUpdates(context),
    ...sessionImages(context),
    ...sessionLifecycle(context),
    ...sessionPrompts(context),
    ...sessionBranches(context),
    ...sessionWaiting(context),
  };
}

/** Returns, by operation, the functions that answer a repeated call with the current state. */
export function replayOperations(context: OperationContext): Replays {
  return {
    'delegations.create': replayDelegation(context),
    'worktrees.create': replayWorktree(context),
    'worktrees.check': replayChange(context),
    'worktrees.commit': replayChange(context),
    'worktrees.updateFromBase': replayChange(context),
    'worktrees.push': replayChange(context),
    'worktrees.pullRequest': replayChange(context),
    'worktrees.integrate': replayIntegration(context),
    'orchestrations.create': replayOrchestration(context),
    'orchestrations.run': replayRun(context),
    'orchestrations.addAgents': replayOrchestration(context),
    'sessions.create': replaySession(context),
    'sessions.prompt': replayPrompt(context),
    'sessions.fork': replayBranch(context),
    'sessions.spawn': replayBranch(context),
    'agents.create': replayAgent(context),
    'workers.create': replayWorker(context),
    'workers.restart': replayWorker(context),
    'tasks.retry': replayRetry(context),
  };
}
