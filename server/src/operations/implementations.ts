import { checkAgent } from './agents/check.ts';
import { createAgent, getAgent, listAgents, removeAgent, replayAgent, updateAgent } from './agents/definitions.ts';
import { answerApproval } from './approvals/answer.ts';
import { getApproval, listApprovals } from './approvals/list.ts';
import { listAudit } from './audit/list.ts';
import { createBoard } from './boards/create.ts';
import { duplicateBoard } from './boards/duplicate.ts';
import { getBoard } from './boards/get.ts';
import { listBoards } from './boards/list.ts';
import { removeBoard } from './boards/remove.ts';
import { listBoardSessions } from './boards/sessions.ts';
import { updateBoard } from './boards/update.ts';
import type { OperationContext } from './context.ts';
import { createDelegation, replayDelegation } from './delegations/create.ts';
import { getDelegation, listDelegations } from './delegations/list.ts';
import { listEvents } from './events/list.ts';
import type { Implementations, Replays } from './gate.ts';
import { getJob } from './jobs/get.ts';
import { openLogin, redeemLogin } from './login/login.ts';
import {
  createMcpServer,
  getMcpServer,
  listMcpServers,
  removeMcpServer,
  updateMcpServer,
} from './mcp-servers/mcp-servers.ts';
import { listBranches } from './repositories/branches.ts';
import { createRepository } from './repositories/create.ts';
import { getRepository } from './repositories/get.ts';
import { listRepositories } from './repositories/list.ts';
import { removeRepository } from './repositories/remove.ts';
import { updateRepository } from './repositories/update.ts';
import { archiveSession, unarchiveSession } from './sessions/archive.ts';
import { replayBranch } from './sessions/branch.ts';
import { createSession, replaySession } from './sessions/create.ts';
import { sessionGenealogy } from './sessions/genealogy.ts';
import { getSession } from './sessions/get.ts';
import { pauseSession, resumeSession, stopSession } from './sessions/lifecycle.ts';
import { listSessions } from './sessions/list.ts';
import { sendMessage } from './sessions/message.ts';
import { readSessionOutput } from './sessions/output.ts';
import { listMessages, listNotices, listSessionEvents, listSessionTasks, listWorkers } from './sessions/parts.ts';
import { forkSession, promptSession, replayPrompt, spawnSession } from './sessions/prompt.ts';
import { removeSession } from './sessions/remove.ts';
import { reportResult } from './sessions/report.ts';
import { searchSessions } from './sessions/search.ts';
import { updateSession } from './sessions/update.ts';
import { waitForSession } from './sessions/wait.ts';
import { getSettings, updateSettings } from './settings/settings.ts';
import { systemStatus } from './system/status.ts';
import { cancelTask } from './tasks/cancel.ts';
import { getTask } from './tasks/get.ts';
import { listTasks } from './tasks/list.ts';
import { moveTask } from './tasks/move.ts';
import { sendNow } from './tasks/send-now.ts';
import { createToken, listTokens, revokeLogins, revokeToken } from './tokens/tokens.ts';
import { createUser, currentUser, getUser, listUsers, removeUser, updateUser } from './users/users.ts';
import { correctActivity } from './workers/correct-activity.ts';
import { createWorker, replayWorker } from './workers/create.ts';
import { getWorker } from './workers/get.ts';
import { resizeWorker, typeInput } from './workers/keyboard.ts';
import { readWorkerOutput } from './workers/output.ts';
import { removeWorker } from './workers/remove.ts';
import { listResources } from './workers/resources.ts';
import { restartWorker } from './workers/restart.ts';
import { readScreen } from './workers/screen.ts';
import { createWorktree, replayWorktree } from './worktrees/create.ts';
import { diffWorktree } from './worktrees/diff.ts';
import { listFiles } from './worktrees/files.ts';
import { getWorktree } from './worktrees/get.ts';
import { listWorktrees } from './worktrees/list.ts';
import { removeWorktree } from './worktrees/remove.ts';
import { restoreWorktree } from './worktrees/restore.ts';
import { updateWorktree } from './worktrees/update.ts';
import { createZone, removeZone, updateZone } from './zones/zones.ts';

/** The code behind every name of the operation table. */
export function implementOperations(context: OperationContext): Implementations {
  return {
    'repositories.list': listRepositories(context),
    'repositories.create': createRepository(context),
    'repositories.get': getRepository(context),
    'repositories.update': updateRepository(context),
    'repositories.remove': removeRepository(context),
    'repositories.branches': listBranches(context),
    'worktrees.list': listWorktrees(context),
    'worktrees.create': createWorktree(context),
    'worktrees.get': getWorktree(context),
    'worktrees.update': updateWorktree(context),
    'worktrees.remove': removeWorktree(context),
    'worktrees.restore': restoreWorktree(context),
    'worktrees.diff': diffWorktree(context),
    'worktrees.files': listFiles(context),
    'jobs.get': getJob(context),
    'boards.list': listBoards(context),
    'boards.get': getBoard(context),
    'boards.create': createBoard(context),
    'boards.update': updateBoard(context),
    'boards.duplicate': duplicateBoard(context),
    'boards.remove': removeBoard(context),
    'boards.sessions': listBoardSessions(context),
    'zones.create': createZone(context),
    'zones.update': updateZone(context),
    'zones.remove': removeZone(context),
    'sessions.search': searchSessions(context),
    'sessions.list': listSessions(context),
    'sessions.create': createSession(context),
    'sessions.get': getSession(context),
    'sessions.update': updateSession(context),
    'sessions.remove': removeSession(context),
    'sessions.prompt': promptSession(context),
    'sessions.fork': forkSession(context),
    'sessions.spawn': spawnSession(context),
    'sessions.genealogy': sessionGenealogy(context),
    'sessions.message': sendMessage(context),
    'sessions.pause': pauseSession(context),
    'sessions.resume': resumeSession(context),
    'sessions.stop': stopSession(context),
    'sessions.report': reportResult(context),
    'sessions.wait': waitForSession(context),
    'sessions.output': readSessionOutput(context),
    'sessions.archive': archiveSession(context),
    'sessions.unarchive': unarchiveSession(context),
    'sessions.messages': listMessages(context),
    'sessions.events': listSessionEvents(context),
    'sessions.notices': listNotices(context),
    'sessions.workers': listWorkers(context),
    'sessions.tasks': listSessionTasks(context),
    'workers.create': createWorker(context),
    'workers.get': getWorker(context),
    'workers.resources': listResources(context),
    'workers.remove': removeWorker(context),
    'workers.input': typeInput(context),
    'workers.resize': resizeWorker(context),
    'workers.restart': restartWorker(context),
    'workers.output': readWorkerOutput(context),
    'workers.screen': readScreen(context),
    'workers.correctActivity': correctActivity(context),
    'tasks.list': listTasks(context),
    'tasks.get': getTask(context),
    'tasks.cancel': cancelTask(context),
    'tasks.move': moveTask(context),
    'tasks.sendNow': sendNow(context),
    'approvals.list': listApprovals(context),
    'approvals.get': getApproval(context),
    'approvals.answer': answerApproval(context),
    'delegations.create': createDelegation(context),
    'delegations.list': listDelegations(context),
    'delegations.get': getDelegation(context),
    'agents.list': listAgents(context),
    'agents.create': createAgent(context),
    'agents.get': getAgent(context),
    'agents.update': updateAgent(context),
    'agents.remove': removeAgent(context),
    'agents.check': checkAgent(context),
    'mcpServers.list': listMcpServers(context),
    'mcpServers.get': getMcpServer(context),
    'mcpServers.create': createMcpServer(context),
    'mcpServers.update': updateMcpServer(context),
    'mcpServers.remove': removeMcpServer(context),
    'events.list': listEvents(context),
    'audit.list': listAudit(context),
    'users.list': listUsers(context),
    'users.current': currentUser(context),
    'users.get': getUser(context),
    'users.create': createUser(context),
    'users.update': updateUser(context),
    'users.remove': removeUser(context),
    'tokens.list': listTokens(context),
    'tokens.create': createToken(context),
    'tokens.revoke': revokeToken(context),
    'tokens.revokeLogins': revokeLogins(context),
    'login.open': openLogin(context),
    'login.redeem': redeemLogin(context),
    'settings.get': getSettings(context),
    'settings.update': updateSettings(context),
    'system.status': systemStatus(context),
  };
}

/** Operations whose repeat is answered with how things stand now instead of what was remembered. */
export function replayOperations(context: OperationContext): Replays {
  return {
    'delegations.create': replayDelegation(context),
    'worktrees.create': replayWorktree(context),
    'sessions.create': replaySession(context),
    'sessions.prompt': replayPrompt(context),
    'sessions.fork': replayBranch(context),
    'sessions.spawn': replayBranch(context),
    'agents.create': replayAgent(context),
    'workers.create': replayWorker(context),
    'workers.restart': replayWorker(context),
  };
}
