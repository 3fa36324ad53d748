import { readFile } from 'node:fs/promises';
import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { CliForm } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { type Command, Option } from 'commander';
import type { ConsoleClient } from './client.ts';

/** Adds the option for files to upload, which can be repeated. */
export function addUploadOption(command: Command, { uploads }: CliForm): void {
  if (uploads === undefined) return;
  const option = new Option(`--${uploads.option} <file>`, uploads.help);
  command.addOption(option.argParser((path: string, previous: string[] | undefined) => [...(previous ?? []), path]));
}

/**
 * Uploads the files that a command line names, and returns the input with the ids of the uploads.
 * @throws VALIDATION for a file that cannot be read, before anything is uploaded, and the errors of the upload.
 */
export async function withUploads(
  client: ConsoleClient,
  { uploads }: CliForm,
  options: Readonly<Record<string, unknown>>,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const paths = uploads === undefined ? undefined : (options[uploads.option] as string[] | undefined);
  const contract = CONTRACTS.find(({ name }) => name === uploads?.operation);
  if (uploads === undefined || paths === undefined || contract === undefined) return input;
  const files: { path: string; data: string }[] = [];
  for (const path of paths) {
    const bytes = await readFile(path).catch((error: Error) => {
      throw fieldError(uploads.option, `${path} cannot be read (${error.message}). Name a readable file.`);
    });
    files.push({ path, data: bytes.toString('base64') });
  }
  const about = Object.fromEntries(Object.keys(contract.ids ?? {}).map((field) => [field, input[field]]));
  const ids: unknown[] = [];
  for (const { path, data } of files) {
    const uploaded = client.run(contract, { ...about, data }).catch((error: unknown) => {
      if (!(error instanceof ConsoleError) || error.details.field !== 'data') throw error;
      throw fieldError(uploads.option, `${path}: ${error.message.replace(/^data: /, '')}`);
    });
    ids.push(((await uploaded) as Record<string, unknown>)[uploads.answer]);
  }
  return { ...input, [uploads.field]: ids };
}
