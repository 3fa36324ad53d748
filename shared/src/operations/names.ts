import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { Id, kindAndId } from '../ids.ts';
import { NAME_QUERY_MAX_CHARS, NAMED_IDS_MAX, PAGE_DEFAULT, PAGE_MAX } from '../limits/answers.ts';
import { NOUNS, operation } from '../operation.ts';
import { shortText } from './fields.ts';

const noun = described(v.picklist(NOUNS), 'Type of the entity, such as session');

const Named = kindAndId(
  v.object({
    kind: noun,
    id: described(v.string(), 'Complete id'),
    title: described(v.string(), 'Name or title, or the first line of a prompt, question or objective; may be empty'),
  }),
  'Type, id and title of the entity',
);

export const names = [
  operation({
    name: 'names.resolve',
    summary: 'Find one entity by id, id prefix, name, title, branch or directory',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/names/resolve' },
    input: v.strictObject({
      noun,
      query: shortText(
        'Id, id prefix, name, title or branch; for repositories and worktrees also an absolute path inside them. Ids take precedence',
        NAME_QUERY_MAX_CHARS,
      ),
      exact: v.optional(
        described(
          v.boolean(),
          'Match only whole names; otherwise the beginning of a name also matches if it is unique',
        ),
        false,
      ),
    }),
    output: Named,
  }),
  operation({
    name: 'names.list',
    summary: 'Names and titles of entities that have the given ids, or whose names begin with a text, newest first',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/names' },
    input: v.strictObject({
      noun,
      ids: v.optional(
        described(v.pipe(v.array(Id), v.maxLength(NAMED_IDS_MAX)), `Complete ids, at most ${NAMED_IDS_MAX}`),
      ),
      startsWith: v.optional(
        described(
          v.pipe(v.string(), v.maxLength(NAME_QUERY_MAX_CHARS)),
          'Beginning of a name; letter case does not matter',
        ),
      ),
      limit: v.optional(wholeNumber(`Number of names, 1 to ${PAGE_MAX}`, 1, PAGE_MAX), PAGE_DEFAULT),
    }),
    output: v.object({
      names: described(v.array(Named), 'Entities with their names; entities without a name are left out'),
    }),
  }),
] as const;
