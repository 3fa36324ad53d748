import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf } from '../ids.ts';
import { Budget } from './budget.ts';
import { FailurePolicy, OrchestrationIsolation, OrchestrationStrategy } from './orchestration.ts';
import { PermissionMode } from './session.ts';

/** `choice`: one of a list of texts; `list`: several texts. */
export const ParameterType = v.picklist(['string', 'number', 'boolean', 'choice', 'list']);
export type ParameterType = v.InferOutput<typeof ParameterType>;

export const ParameterValue = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]);
export type ParameterValue = v.InferOutput<typeof ParameterValue>;

export const DefinitionParameter = v.object({
  name: described(v.string(), 'Name of the parameter'),
  type: described(ParameterType, 'Type of the value; choice: one of the values in `choices`; list: a list of strings'),
  description: described(v.string(), 'Purpose of the parameter'),
  required: described(v.boolean(), 'Whether the caller must pass a value for the parameter'),
  default: described(v.nullable(ParameterValue), 'Value of the parameter if the caller passes none, or null'),
  choices: described(v.nullable(v.array(v.string())), 'Allowed values of the parameter, or null'),
  min: described(
    v.nullable(v.number()),
    'Minimum value of a number, minimum characters of a string or minimum items of a list; null: no minimum',
  ),
  max: described(
    v.nullable(v.number()),
    'Maximum value of a number, maximum characters of a string or maximum items of a list; null: no maximum',
  ),
});
export type DefinitionParameter = v.InferOutput<typeof DefinitionParameter>;

export const DefinitionProblem = v.object({
  line: described(v.number(), 'Line number of the mistake, from 1'),
  column: described(v.number(), 'Column number of the mistake, from 1'),
  path: described(v.string(), 'Dotted path of the field; empty for the file as a whole'),
  message: described(v.string(), 'Description of the mistake'),
});
export type DefinitionProblem = v.InferOutput<typeof DefinitionProblem>;

/** A definition, or a definition file with mistakes, which cannot be run. */
export const OrchestrationDefinition = v.object({
  name: described(v.string(), 'Name by which the definition is run; the file name if the file has mistakes'),
  source: described(
    v.picklist(['template', 'repository']),
    "template: shipped with the console; repository: a file of the repository's default branch",
  ),
  file: described(v.nullable(v.string()), 'Path of the file in the repository, or null'),
  description: described(v.string(), 'What the definition is for; empty if the file has mistakes'),
  parameters: described(v.array(DefinitionParameter), 'Parameters'),
  contentHash: described(v.nullable(v.string()), "SHA-256 of the definition's text; null if the file has mistakes"),
  isAccepted: described(
    v.boolean(),
    'Whether the definition may run: it is a template, or a person has accepted this text',
  ),
  problems: described(v.array(DefinitionProblem), 'Mistakes in the file'),
});
export type OrchestrationDefinition = v.InferOutput<typeof OrchestrationDefinition>;

const PlanAgent = v.object({
  agentId: described(v.string(), 'Name of the agent'),
  role: described(v.string(), 'Role of the agent, such as reviewer'),
  agent: described(v.string(), 'Id of the agent definition, such as claude-code'),
  permissionMode: described(PermissionMode, 'What the agent may do without asking'),
  dependencies: described(v.array(v.string()), 'Names of the agents that must complete before this agent starts'),
  task: described(v.string(), 'Text of the task of the agent'),
});

/** Result of a dry run: what a definition would create with the given parameters. */
export const OrchestrationPlan = v.object({
  name: described(v.string(), 'Name of the definition'),
  contentHash: described(
    v.string(),
    "SHA-256 of the definition's text; to run the definition for the first time, accept its text by passing this hash as contentHash",
  ),
  isAccepted: described(v.boolean(), 'Whether a person has accepted this text for the repository'),
  repositoryId: idOf('repository', 'Id of the repository in which the orchestration would run'),
  objective: described(v.string(), 'What the agents are to achieve together'),
  strategy: described(OrchestrationStrategy, 'In which order the agents run'),
  isolation: described(OrchestrationIsolation, 'own: one worktree for each agent; shared: one worktree for all'),
  base: described(v.string(), 'Branch, tag or commit to start from'),
  maxConcurrent: described(v.nullable(v.number()), 'Maximum agents running at the same time; null: no limit'),
  onFailure: described(
    FailurePolicy,
    'continue: agents that do not depend on a failed agent continue; fail_fast: a failure cancels all other agents',
  ),
  budget: described(v.nullable(Budget), 'Budget limits of the orchestration, or null'),
  integrateInto: described(v.nullable(v.string()), 'Branch that receives the work of all agents, or null'),
  stages: described(
    v.array(v.array(v.string())),
    'Stages in order, each with the names of agents that can run at the same time',
  ),
  agents: described(v.array(PlanAgent), 'Agents'),
  worktrees: described(v.number(), 'Number of worktrees that the orchestration would create'),
  limits: described(
    v.array(v.string()),
    'A message for each limit that the orchestration would reach if it started now',
  ),
});
export type OrchestrationPlan = v.InferOutput<typeof OrchestrationPlan>;
