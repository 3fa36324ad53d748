import * as v from 'valibot';
import type { Host } from '../../ports/host.ts';

/** A program that runs in a terminal worker in place of a shell. */
export const CommandSpec = v.object({
  file: v.string(),
  args: v.array(v.string()),
  /** Variables that are added to the worker's environment. */
  env: v.record(v.string(), v.string()),
});
export type CommandSpec = v.InferOutput<typeof CommandSpec>;

/**
 * Name of the file in a worker's folder that contains its command. The file is written before the worker's row is
 * stored.
 */
const NAME = 'command.json';

/** Stores the command of a worker, with the files that the command needs. `files` contains their contents by name. */
export async function writeCommand(
  host: Pick<Host, 'writeWorkerFiles'>,
  workerId: string,
  spec: CommandSpec,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await host.writeWorkerFiles(workerId, { ...files, [NAME]: JSON.stringify(spec) }, null);
}

/** Returns the command of a worker; null for a terminal with a shell. */
export async function readCommand(host: Pick<Host, 'readWorkerFile'>, workerId: string): Promise<CommandSpec | null> {
  const text = await host.readWorkerFile(workerId, NAME);
  return text === null ? null : v.parse(CommandSpec, JSON.parse(text));
}
