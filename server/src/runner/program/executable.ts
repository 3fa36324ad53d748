import fs from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { SpawnSpec } from '../port.ts';

/** Search path of execvp(3) when the environment has no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/**
 * Checks whether the process can be started. Without this check, the kernel would report an error only inside the new
 * process.
 * @throws AGENT_UNAVAILABLE if the folder or the executable is missing.
 */
export async function assertStartable(spec: SpawnSpec): Promise<void> {
  const { file, cwd } = spec;
  const folder = await fs.stat(cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) {
    const message = `The folder ${cwd} does not exist, so ${file} cannot run there. Restore it, or use another folder`;
    throw new ConsoleError('AGENT_UNAVAILABLE', message, { cwd });
  }
  for (const candidate of candidates(spec)) {
    if (await isExecutable(candidate)) return;
  }
  const hint = 'Install the program, or correct the command of the agent';
  const message = `${file} is not installed or not on the PATH of this worker. ${hint}`;
  throw new ConsoleError('AGENT_UNAVAILABLE', message, { file });
}

function candidates({ file, cwd, env }: SpawnSpec): string[] {
  if (file.includes('/')) return [path.resolve(cwd, file)];
  return (env.PATH ?? DEFAULT_PATH).split(':').map((folder) => path.resolve(cwd, folder, file));
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await fs.access(file, fs.constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
