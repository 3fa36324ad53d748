import * as v from 'valibot';
import { described } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { OrchestrationStatus } from '../models/orchestration.ts';
import { OrchestrationDefinition, OrchestrationPlan, ParameterValue } from '../models/orchestration-definition.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { shortText } from './fields.ts';
import { RunToolResult, runResult } from './orchestration-tools.ts';

const repositoryId = v.optional(
  described(IdPrefix('repository'), "Repository, by id or prefix; default: the calling agent's"),
);

export const orchestrationDefinitions = [
  operation({
    name: 'orchestrations.definitions',
    summary: "Definitions of orchestrations: the templates, and the definition files on a repository's default branch",
    access: 'workspace-read',
    ids: { repositoryId: 'repository' },
    rest: { method: 'GET', path: '/orchestrations/definitions' },
    cli: {
      command: 'orchestrations definitions',
      columns: ['name', 'source', { heading: 'ACCEPTED', path: 'isAccepted' }, 'description', 'problems.0.message'],
    },
    input: v.strictObject({
      repositoryId: v.optional(
        described(
          IdPrefix('repository'),
          "Repository whose definitions are included, by id or prefix; default: the calling agent's",
        ),
      ),
      ...PageInput,
    }),
    output: pageOf(OrchestrationDefinition),
  }),
  operation({
    name: 'orchestrations.run',
    summary: 'Run a definition: create an orchestration from it and start it, or only show the plan',
    access: 'self',
    ids: { repositoryId: 'repository' },
    idempotent: true,
    peopleOnly: ['source'],
    rest: { method: 'POST', path: '/orchestrations/run', status: 201 },
    tool: {
      name: 'orchestrations_run',
      toolset: 'orchestrations',
      description:
        'Create and start an orchestration from a definition by name: a template (review, implement-test-review, race, map) or a file in .agent-console/orchestrations of your repository. With dryRun, only show the plan. You are notified once when it ends.',
      output: RunToolResult,
      toResult: runResult,
    },
    example: { definition: 'review', repositoryId: '0193a1b2-c3d4-7e5f' },
    input: v.strictObject({
      definition: v.optional(shortText('Name of a template, or of a definition of the repository', 200)),
      source: v.optional(described(v.string(), 'Text of a definition, instead of a name')),
      sourceName: v.optional(shortText('Name that error messages use for source', 4_096)),
      parameters: v.optional(
        described(
          v.record(v.string(), v.nullable(ParameterValue)),
          'Parameter values by name; strings are accepted for every type',
        ),
        {},
      ),
      repositoryId,
      contentHash: v.optional(
        described(
          v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')),
          'Run the definition only if its text has this hash. A person accepts the text by passing the hash after seeing the plan',
        ),
      ),
      start: v.optional(described(v.boolean(), 'true: start the orchestration at once; false: only create it'), true),
      dryRun: v.optional(described(v.boolean(), 'Show the plan, and create nothing'), false),
      idempotencyKey: IdempotencyKey,
    }),
    output: v.object({
      plan: described(v.nullable(OrchestrationPlan), 'The plan of a dry run; otherwise null'),
      orchestration: described(v.nullable(OrchestrationStatus), 'The orchestration; null for a dry run'),
    }),
  }),
] as const;
