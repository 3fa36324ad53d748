import { join } from 'node:path';
import { makeRepository } from './repository.mjs';

/** Adds a repository to a console. Returns the ids of the repository and of its main checkout. */
export async function register(console, path) {
  const { id } = await console.api.call('POST', '/repositories', { path });
  const { data } = await console.api.call('GET', `/repositories/${id}/worktrees?limit=500`);
  return { id, worktreeId: data.find(({ kind }) => kind === 'main').id };
}

/**
 * Creates a session in the main checkout of a new repository, with one ended task. The bench fills databases with
 * copies of this session and task.
 */
export async function firstSession(console) {
  const path = join(console.folder, 'repository');
  await makeRepository(path, 10);
  const repository = await register(console, path);
  const wanted = { worktreeId: repository.worktreeId, agentId: console.agentId, title: 'The first session' };
  const { id } = await console.api.call('POST', '/sessions', wanted);
  const { taskId } = await console.api.call('POST', `/sessions/${id}/prompt`, { prompt: 'go on' });
  await console.api.call('POST', `/tasks/${taskId}/cancel`);
  await console.api.call('POST', `/sessions/${id}/stop`);
  return { id, repositoryId: repository.id };
}

/** Runs `write` on the data directory of a console while its server is stopped. */
export async function whileStopped(console, write) {
  await console.stopServer();
  write(console.home);
  await console.runServer();
}
