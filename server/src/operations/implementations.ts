import * as agents from './agents.ts';
import * as approvals from './approvals.ts';
import * as audit from './audit.ts';
import * as boards from './boards.ts';
import * as delegations from './delegations.ts';
import * as mcpServers from './mcp-servers.ts';
import type { Implementations, OperationContext, Replays } from './operation.ts';
import * as output from './output.ts';
import * as repositories from './repositories.ts';
import * as resources from './resources.ts';
import * as sessionBranches from './sessions/branches.ts';
import * as sessionCreate from './sessions/create.ts';
import * as sessionDetails from './sessions/details.ts';
import * as sessionLifecycle from './sessions/lifecycle.ts';
import * as sessionList from './sessions/list.ts';
import * as sessionPrompts from './sessions/prompts.ts';
import * as sessionUpdate from './sessions/update.ts';
import * as sessionWait from './sessions/wait.ts';
import * as settings from './settings.ts';
import * as system from './system.ts';
import * as tasks from './tasks.ts';
import * as terminals from './terminals.ts';
import * as tokens from './tokens.ts';
import * as users from './users.ts';
import * as workers from './workers.ts';
import * as worktreeCreation from './worktree-creation.ts';
import * as worktreeRemoval from './worktree-removal.ts';
import * as worktrees from './worktrees.ts';
import * as zones from './zones.ts';

/** Returns the implementation of every operation. A missing one is a compile error. */
export function implementOperations(context: OperationContext): Implementations {
  return {
    'approvals.list': approvals.listApprovals(context),
    'approvals.get': approvals.getApproval(context),
    'approvals.answer': approvals.answerApproval(context),
    'agents.list': agents.listAgents(context),
    'agents.create': agents.createAgent(context),
    'agents.get': agents.getAgent(context),
    'agents.update': agents.updateAgent(context),
    'agents.remove': agents.removeAgent(context),
    'agents.check': agents.checkAgent(context),
    'audit.list': audit.listAudit(context),
    'boards.list': boards.listBoards(context),
    'boards.get': boards.getBoard(context),
    'boards.create': boards.createBoard(context),
    'boards.update': boards.updateBoard(context),
    'boards.duplicate': boards.duplicateBoard(context),
    'boards.remove': boards.removeBoard(context),
    'boards.sessions': boards.listBoardSessions(context),
    'zones.create': zones.createZone(context),
    'zones.update': zones.updateZone(context),
    'zones.remove': zones.removeZone(context),
    'delegations.create': delegations.createDelegation(context),
    'delegations.list': delegations.listDelegations(context),
    'delegations.get': delegations.getDelegation(context),
    'jobs.get': system.getJob(context),
    'events.list': system.listEvents(context),
    'system.status': system.systemStatus(context),
    'settings.get': settings.getSettings(context),
    'settings.update': settings.updateSettings(context),
    'tokens.list': tokens.listTokens(context),
    'tokens.create': tokens.createToken(context),
    'tokens.revoke': tokens.revokeToken(context),
    'tokens.revokeLogins': tokens.revokeLogins(context),
    'login.open': tokens.openLogin(context),
    'login.redeem': tokens.redeemLogin(context),
    'users.list': users.listUsers(context),
    'users.current': users.currentUser(context),
    'users.get': users.getUser(context),
    'users.create': users.createUser(context),
    'users.update': users.updateUser(context),
    'users.remove': users.removeUser(context),
    'mcpServers.list': mcpServers.listMcpServers(context),
    'mcpServers.get': mcpServers.getMcpServer(context),
    'mcpServers.create': mcpServers.createMcpServer(context),
    'mcpServers.update': mcpServers.updateMcpServer(context),
    'mcpServers.remove': mcpServers.removeMcpServer(context),
    'repositories.list': repositories.listRepositories(context),
    'repositories.create': repositories.createRepository(context),
    'repositories.get': repositories.getRepository(context),
    'repositories.update': repositories.updateRepository(context),
    'repositories.remove': repositories.removeRepository(context),
    'repositories.branches': repositories.listBranches(context),
    'tasks.list': tasks.listTasks(context),
    'tasks.get': tasks.getTask(context),
    'tasks.cancel': tasks.cancelTask(context),
    'tasks.move': tasks.moveTask(context),
    'tasks.sendNow': tasks.sendNow(context),
    'workers.create': workers.createWorker(context),
    'workers.get': workers.getWorker(context),
    'workers.remove': workers.removeWorker(context),
    'workers.restart': workers.restartWorker(context),
    'workers.correctActivity': workers.correctActivity(context),
    'workers.input': terminals.typeInput(context),
    'workers.resize': terminals.resizeWorker(context),
    'workers.screen': terminals.readScreen(context),
    'workers.resources': resources.listResources(context),
    'sessions.output': output.readSessionOutput(context),
    'workers.output': output.readWorkerOutput(context),
    'worktrees.list': worktrees.listWorktrees(context),
    'worktrees.get': worktrees.getWorktree(context),
    'worktrees.update': worktrees.updateWorktree(context),
    'worktrees.diff': worktrees.diffWorktree(context),
    'worktrees.files': worktrees.listFiles(context),
    'worktrees.create': worktreeCreation.createWorktree(context),
    'worktrees.remove': worktreeRemoval.removeWorktree(context),
    'worktrees.restore': worktreeRemoval.restoreWorktree(context),
    'sessions.search': sessionList.searchSessions(context),
    'sessions.list': sessionList.listSessions(context),
    'sessions.get': sessionDetails.getSession(context),
    'sessions.genealogy': sessionDetails.sessionGenealogy(context),
    'sessions.messages': sessionDetails.listMessages(context),
    'sessions.events': sessionDetails.listSessionEvents(context),
    'sessions.notices': sessionDetails.listNotices(context),
    'sessions.workers': sessionDetails.listWorkers(context),
    'sessions.tasks': sessionDetails.listSessionTasks(context),
    'sessions.create': sessionCreate.createSession(context),
    'sessions.update': sessionUpdate.updateSession(context),
    'sessions.remove': sessionLifecycle.removeSession(context),
    'sessions.pause': sessionLifecycle.pauseSession(context),
    'sessions.resume': sessionLifecycle.resumeSession(context),
    'sessions.stop': sessionLifecycle.stopSession(context),
    'sessions.archive': sessionLifecycle.archiveSession(context),
    'sessions.unarchive': sessionLifecycle.unarchiveSession(context),
    'sessions.prompt': sessionPrompts.promptSession(context),
    'sessions.message': sessionPrompts.sendMessage(context),
    'sessions.report': sessionPrompts.reportResult(context),
    'sessions.fork': sessionBranches.forkSession(context),
    'sessions.spawn': sessionBranches.spawnSession(context),
    'sessions.wait': sessionWait.waitForSession(context),
  };
}

/** Returns the operations that answer a repeated call with the current state. */
export function replayOperations(context: OperationContext): Replays {
  return {
    'delegations.create': delegations.replayDelegation(context),
    'worktrees.create': worktreeCreation.replayWorktree(context),
    'sessions.create': sessionCreate.replaySession(context),
    'sessions.prompt': sessionPrompts.replayPrompt(context),
    'sessions.fork': sessionBranches.replayBranch(context),
    'sessions.spawn': sessionBranches.replayBranch(context),
    'agents.create': agents.replayAgent(context),
    'workers.create': workers.replayWorker(context),
    'workers.restart': workers.replayWorker(context),
  };
}
