import * as v from 'valibot';
import type { Repository } from '../models/repository.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { snakeEntity, snakeList } from './snake.ts';

export const AgorRepository = v.looseObject({
  repo_id: v.string(),
  name: v.string(),
  path: v.string(),
  url: v.nullable(v.string()),
  default_branch: v.string(),
  created_at: Timestamp,
});
export const AgorRepositories = pageOf(AgorRepository);

export function agorRepository(repository: Repository) {
  return snakeEntity('repo', repository);
}

export function agorRepositories(page: Page<Repository>) {
  return snakeList(page, agorRepository);
}
