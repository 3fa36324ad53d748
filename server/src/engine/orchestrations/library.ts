import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { DEFINITION_FILES_MAX, DEFINITION_MAX_BYTES } from '@agent-console/shared/limits/orchestrations';
import type { DefinitionProblem } from '@agent-console/shared/models/orchestration-definition';
import { see } from '@agent-console/shared/see';
import { nearest } from '../../domain/nearest.ts';
import type { Definition, OrchestrationDefinitions } from '../../ports/definitions.ts';
import type { CommittedFile, Git } from '../../ports/git.ts';
import type { RepositoryRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';

const FOLDER = '.agent-console/orchestrations';

/**
 * A template of the console, or a definition file of a repository. A file with mistakes has `problems` instead of a
 * definition.
 */
export interface LibraryEntry {
  name: string;
  /** Path of the definition file in the repository; null for a template of the console. */
  file: string | null;
  definition: Definition | null;
  problems: readonly DefinitionProblem[];
}

/** The orchestration definitions that callers can run by name. */
export interface DefinitionLibrary {
  /**
   * Returns the console's own templates, and the definitions in the newest commit of a repository's default branch.
   * Without a repository, returns only the templates. Files in worktrees are not read, because agents can write them.
   */
  list(repository: RepositoryRow | null): Promise<LibraryEntry[]>;
  /** @throws NOT_FOUND for an unknown name; VALIDATION for a file with mistakes. */
  find(repository: RepositoryRow, name: string): Promise<LibraryEntry & { definition: Definition }>;
  /** Whether a definition may run in a repository without the consent of a person. */
  isAccepted(
    read: Readers,
    repositoryId: string | null,
    entry: Pick<LibraryEntry, 'file' | 'definition'>,
  ): Promise<boolean>;
}

export function createDefinitionLibrary({
  git,
  definitions,
}: {
  git: Pick<Git, 'resolveBase' | 'committedFiles'>;
  definitions: OrchestrationDefinitions;
}): DefinitionLibrary {
  const templates = (): LibraryEntry[] =>
    definitions.templates().map((definition) => ({ name: definition.name, file: null, definition, problems: [] }));

  async function filesOf(repository: RepositoryRow): Promise<CommittedFile[]> {
    const base = await git.resolveBase(repository, repository.defaultBranch, false).catch((error: unknown) => {
      // A repository without commits, or without its default branch, has no definition files.
      if (error instanceof ConsoleError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND')) return null;
      throw error;
    });
    if (base === null) return [];
    const limits = { files: DEFINITION_FILES_MAX, bytes: DEFINITION_MAX_BYTES };
    const files = await git.committedFiles(repository, base.sha, FOLDER, limits);
    return files.filter(({ path }) => /\.ya?ml$/.test(path));
  }

  function read({ path, bytes, text }: CommittedFile): LibraryEntry {
    const name = path.slice(FOLDER.length + 1).replace(/\.ya?ml$/, '');
    const invalid = (problems: readonly DefinitionProblem[]) => ({ name, file: path, definition: null, problems });
    if (text === null) {
      const isLarge = bytes > DEFINITION_MAX_BYTES;
      const message = isLarge
        ? `the file has ${bytes} bytes, but at most ${DEFINITION_MAX_BYTES} are allowed`
        : 'the file is not valid UTF-8 text';
      return invalid([{ line: 1, column: 1, path: '', message }]);
    }
    try {
      const definition = definitions.parse(text, path);
      return { name: definition.name, file: path, definition, problems: [] };
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error;
      return invalid((error.details.problems ?? []) as DefinitionProblem[]);
    }
  }

  async function list(repository: RepositoryRow | null): Promise<LibraryEntry[]> {
    const entries = templates();
    if (repository === null) return entries;
    for (const entry of (await filesOf(repository)).map(read)) {
      const other =
        entry.definition && entries.find(({ name, definition }) => definition !== null && name === entry.name);
      if (!other) entries.push(entry);
      else {
        const owner = other.file === null ? 'a template' : other.file;
        const message = `${owner} already has the name "${entry.name}"; choose another name`;
        entries.push({ ...entry, definition: null, problems: [{ line: 1, column: 1, path: 'name', message }] });
      }
    }
    return entries;
  }

  return {
    list,
    async find(repository, name) {
      // If one of the console's own templates has this name, the repository is not read.
      const entries = templates().some((template) => template.name === name) ? templates() : await list(repository);
      const found = entries.find((entry) => entry.name === name);
      if (found === undefined) {
        const near = nearest(name, [...new Set(entries.map((entry) => entry.name))]);
        const where = see('orchestrations.definitions', { repositoryId: repository.id });
        const message = `no definition has the name "${name}". Nearest: ${near.join(', ')}; see ${where.rest}. Definition files are read from ${FOLDER} of branch ${repository.defaultBranch}.`;
        throw fieldError('definition', message, { nearest: near, see: where }, 'NOT_FOUND');
      }
      const { definition } = found;
      if (definition !== null) return { ...found, definition };
      const [first] = found.problems;
      const message = `${found.file}:${first?.line}:${first?.column}: ${first?.message}`;
      throw new ConsoleError('VALIDATION', message, { file: found.file, problems: found.problems });
    },
    async isAccepted(read, repositoryId, { file, definition }) {
      if (definition === null) return false;
      const { contentHash } = definition;
      if (file === null || templates().some((template) => template.definition?.contentHash === contentHash))
        return true;
      if (repositoryId === null) return false;
      return (await read.orchestrationDefinitions.first({ repositoryId, contentHash })) !== undefined;
    },
  };
}
