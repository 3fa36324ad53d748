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
export function implementOperations(kit: OperationContext): Implementations {
  return {
    'repositories.list': listRepositories(kit),
    'repositories.create': createRepository(kit),
    'repositories.get': getRepository(kit),
    'repositories.update': updateRepository(kit),
    'repositories.remove': removeRepository(kit),
    'repositories.branches': listBranches(kit),
    'worktrees.list': listWorktrees(kit),
    'worktrees.create': createWorktree(kit),
    'worktrees.get': getWorktree(kit),
    'worktrees.update': updateWorktree(kit),
    'worktrees.remove': removeWorktree(kit),
    'worktrees.restore': restoreWorktree(kit),
    'worktrees.diff': diffWorktree(kit),
    'worktrees.files': listFiles(kit),
    'jobs.get': getJob(kit),
    'boards.list': listBoards(kit),
    'boards.get': getBoard(kit),
    'boards.create': createBoard(kit),
    'boards.update': updateBoard(kit),
    'boards.duplicate': duplicateBoard(kit),
    'boards.remove': removeBoard(kit),
    'boards.sessions': listBoardSessions(kit),
    'zones.create': createZone(kit),
    'zones.update': updateZone(kit),
    'zones.remove': removeZone(kit),
    'sessions.search': searchSessions(kit),
    'sessions.list': listSessions(kit),
    'sessions.create': createSession(kit),
    'sessions.get': getSession(kit),
    'sessions.update': updateSession(kit),
    'sessions.remove': removeSession(kit),
    'sessions.prompt': promptSession(kit),
    'sessions.fork': forkSession(kit),
    'sessions.spawn': spawnSession(kit),
    'sessions.genealogy': sessionGenealogy(kit),
    'sessions.message': sendMessage(kit),
    'sessions.pause': pauseSession(kit),
    'sessions.resume': resumeSession(kit),
    'sessions.stop': stopSession(kit),
    'sessions.report': reportResult(kit),
    'sessions.wait': waitForSession(kit),
    'sessions.output': readSessionOutput(kit),
    'sessions.archive': archiveSession(kit),
    'sessions.unarchive': unarchiveSession(kit),
    'sessions.messages': listMessages(kit),
    'sessions.events': listSessionEvents(kit),
    'sessions.notices': listNotices(kit),
    'sessions.workers': listWorkers(kit),
    'sessions.tasks': listSessionTasks(kit),
    'workers.create': createWorker(kit),
    'workers.get': getWorker(kit),
    'workers.resources': listResources(kit),
    'workers.remove': removeWorker(kit),
    'workers.input': typeInput(kit),
    'workers.resize': resizeWorker(kit),
    'workers.restart': restartWorker(kit),
    'workers.output': readWorkerOutput(kit),
    'workers.screen': readScreen(kit),
    'workers.correctActivity': correctActivity(kit),
    'tasks.list': listTasks(kit),
    'tasks.get': getTask(kit),
    'tasks.cancel': cancelTask(kit),
    'tasks.move': moveTask(kit),
    'tasks.sendNow': sendNow(kit),
    'approvals.list': listApprovals(kit),
    'approvals.get': getApproval(kit),
    'approvals.answer': answerApproval(kit),
    'delegations.create': createDelegation(kit),
    'delegations.list': listDelegations(kit),
    'delegations.get': getDelegation(kit),
    'agents.list': listAgents(kit),
    'agents.create': createAgent(kit),
    'agents.get': getAgent(kit),
    'agents.update': updateAgent(kit),
    'agents.remove': removeAgent(kit),
    'agents.check': checkAgent(kit),
    'mcpServers.list': listMcpServers(kit),
    'mcpServers.get': getMcpServer(kit),
    'mcpServers.create': createMcpServer(kit),
    'mcpServers.update': updateMcpServer(kit),
    'mcpServers.remove': removeMcpServer(kit),
    'events.list': listEvents(kit),
    'audit.list': listAudit(kit),
    'users.list': listUsers(kit),
    'users.current': currentUser(kit),
    'users.get': getUser(kit),
    'users.create': createUser(kit),
    'users.update': updateUser(kit),
    'users.remove': removeUser(kit),
    'tokens.list': listTokens(kit),
    'tokens.create': createToken(kit),
    'tokens.revoke': revokeToken(kit),
    'tokens.revokeLogins': revokeLogins(kit),
    'login.open': openLogin(kit),
    'login.redeem': redeemLogin(kit),
    'settings.get': getSettings(kit),
    'settings.update': updateSettings(kit),
    'system.status': systemStatus(kit),
  };
}

/** Operations whose repeat is answered with how things stand now instead of what was remembered. */
export function replayOperations(kit: OperationContext): Replays {
  return {
    'delegations.create': replayDelegation(kit),
    'worktrees.create': replayWorktree(kit),
    'sessions.create': replaySession(kit),
    'sessions.prompt': replayPrompt(kit),
    'sessions.fork': replayBranch(kit),
    'sessions.spawn': replayBranch(kit),
    'agents.create': replayAgent(kit),
    'workers.create': replayWorker(kit),
    'workers.restart': replayWorker(kit),
  };
}
