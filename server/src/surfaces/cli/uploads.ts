import { readFile } from 'node:fs/promises';
import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { CliForm, Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { type Command, Option } from 'commander';
import type { ConsoleClient } from './client.ts';

/** Adds the option that names a file to upload. The option may be repeated. */
export function addUploadOption(command: Command, { uploads }: CliForm): void {
  if (uploads === undefined) return;
  const option = new Option(`--${uploads.option} <file>`, uploads.help);
  command.addOption(option.argParser((path: string, previous: string[] | undefined) => [...(previous ?? []), path]));
}

interface NamedFile {
  path: string;
  /** Content of the file as base64. */
  data: string;
}

/**
 * Runs a command's operation with the files that the command line names.
 * @throws VALIDATION if a file cannot be read, before anything is sent. Also throws the errors of the upload and of the
 * operation. An error about the content of a file contains the path of the file.
 */
export async function runWithFiles(
  client: ConsoleClient,
  contract: Contract,
  { uploads }: CliForm,
  options: Readonly<Record<string, unknown>>,
  input: Record<string, unknown>,
): Promise<unknown> {
  const paths = uploads === undefined ? undefined : (options[uploads.option] as string[] | undefined);
  if (uploads === undefined || paths === undefined) return client.run(contract, input);
  const { option, field } = uploads;
  const files = await readFiles(option, paths);
  if ('operation' in uploads) {
    const ids = await upload(client, uploads, files, input);
    return client.run(contract, { ...input, [field]: ids });
  }
  const { content } = uploads;
  const items = files.map(({ data }) => ({ [content]: data }));
  return client.run(contract, { ...input, [field]: items }).catch((error: unknown) => {
    throw files.reduce((named, file, index) => withPath(named, option, `${field}.${index}.${content}`, file), error);
  });
}

async function readFiles(option: string, paths: readonly string[]): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  for (const path of paths) {
    const bytes = await readFile(path).catch((error: Error) => {
      throw fieldError(option, `${path} cannot be read (${error.message}). Name a readable file.`);
    });
    files.push({ path, data: bytes.toString('base64') });
  }
  return files;
}

async function upload(
  client: ConsoleClient,
  { option, operation, answer }: { option: string; operation: string; answer: string },
  files: readonly NamedFile[],
  input: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const contract = CONTRACTS.find(({ name }) => name === operation);
  if (contract === undefined) throw new Error(`There is no operation ${operation}.`);
  const about = Object.fromEntries(Object.keys(contract.ids ?? {}).map((field) => [field, input[field]]));
  const ids: unknown[] = [];
  for (const file of files) {
    const output = await client.run(contract, { ...about, data: file.data }).catch((error: unknown) => {
      throw withPath(error, option, 'data', file);
    });
    ids.push((output as Record<string, unknown>)[answer]);
  }
  return ids;
}

/**
 * Converts an error about `field` to an error about the option, with the path of the file. Returns any other error
 * unchanged.
 */
function withPath(error: unknown, option: string, field: string, file: NamedFile): unknown {
  const start = `${field}: `;
  if (!(error instanceof ConsoleError) || !error.message.startsWith(start)) return error;
  return fieldError(option, `${file.path}: ${error.message.slice(start.length)}`, {}, error.code);
}
