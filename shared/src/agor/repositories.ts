import * as v from 'valibot';
import { cutText } from '../cut.ts';
import { TOOL_DESCRIPTION_CHARS } from '../limits/answers.ts';
import type { Repository } from '../models/repository.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { type ListArguments, snakeEntity, snakeList } from './snake.ts';

export const AgorRepository = v.looseObject({
  repo_id: v.string(),
  name: v.string(),
  path: v.string(),
  url: v.nullable(v.string()),
  default_branch: v.string(),
  created_at: Timestamp,
});
export const AgorRepositories = pageOf(AgorRepository);

const CUT = 'use REST for the full text';

/** Formats a repository, with long commands cut. */
export function agorRepository(repository: Repository) {
  const short = (command: string | null) => command && cutText(command, TOOL_DESCRIPTION_CHARS, CUT);
  return snakeEntity('repo', {
    ...repository,
    setupCommand: short(repository.setupCommand),
    cleanupCommand: short(repository.cleanupCommand),
    checkCommand: short(repository.checkCommand),
  });
}

/** Formats a repository as a short row without commands. */
export function agorRepositoryRow({ id, name, path, url, defaultBranch, createdAt }: Repository) {
  return snakeEntity('repo', { id, name, path, url, defaultBranch, createdAt });
}

export function agorRepositories(page: Page<Repository>, args: ListArguments) {
  return snakeList(page, agorRepositoryRow, args);
}
