import { DAY, MIB, MINUTE, SECOND } from './units.ts';

export const ORCHESTRATION_AGENTS_MAX = 1_000;
/** Maximum dependencies of one agent. */
export const ORCHESTRATION_DEPENDENCIES_MAX = 1_000;
/** Maximum characters of an agent's name, role or suffix. */
export const AGENT_NAME_MAX_CHARS = 64;
/** Maximum attempts of one agent. */
export const ATTEMPTS_MAX = 10;
/** Default time limit of an agent in seconds. An agent without a result by then has failed. */
export const AGENT_TIMEOUT_SECONDS_DEFAULT = 3_600;
/** Longest time limit of an agent, and of a budget, in seconds: 30 days. */
export const AGENT_TIMEOUT_SECONDS_MAX = (30 * DAY) / SECOND;
/** Maximum bytes of an orchestration's metadata as JSON. */
export const METADATA_MAX_BYTES = 65_536;
/** Maximum characters of one agent's result in the prompt of a dependent agent. Longer results are cut. */
export const HANDED_OVER_MAX_CHARS = 8_000;
/** Maximum characters of all results of other agents in the prompt of a dependent agent. */
export const HANDED_OVER_TOTAL_CHARS = 60_000;
/** Maximum changed files of one agent that the prompt of a dependent agent names. */
export const HANDED_OVER_FILES_MAX = 50;
/** Maximum agents whose changed files the prompt of a dependent agent names. */
export const HANDED_OVER_FILE_LISTS_MAX = 20;
/** Maximum bytes of the stored output of one attempt of an agent. Of longer output, only the end is stored. */
export const AGENT_OUTPUT_MAX_BYTES = 1 * MIB;
/**
 * Interval at which the console tries again to start agents that wait because of a limit, such as the maximum of live
 * sessions.
 */
export const WAITING_RETRY_MS = 1 * MINUTE;
/** Maximum attempts to integrate the branches of an orchestration's agents after errors that may be temporary. */
export const INTEGRATION_ATTEMPTS_MAX = 6;
/** Pause after the first failed attempt to integrate the branches. The pause doubles with each further attempt. */
export const INTEGRATION_RETRY_MS = 5 * SECOND;
/** Longest retention of ended orchestrations, in days. */
export const ORCHESTRATION_RETENTION_DAYS_MAX = 3_650;
/**
 * Age from which the folder of an orchestration that is not in the database is removed. A failed creation leaves a
 * folder behind. A younger folder may belong to a running creation.
 */
export const ORPHANED_FOLDER_MS = 60 * MINUTE;
/** Time for which agents may continue after the end of their orchestration, for example to write a last message. */
export const AGENT_END_MS = 10 * SECOND;
export const DEFINITION_MAX_BYTES = 65_536;
/** Maximum values in a definition file, including the values that YAML aliases repeat. */
export const DEFINITION_VALUES_MAX = 10_000;
/** Maximum nesting of a definition file. */
export const DEFINITION_DEPTH_MAX = 20;
/** Maximum characters of all texts of a definition after its parameters were inserted. */
export const DEFINITION_EXPANDED_MAX_CHARS = 8_000_000;
/** Maximum mistakes that are reported for one definition file. */
export const DEFINITION_PROBLEMS_MAX = 20;
/** Maximum definition files that are read from a repository. */
export const DEFINITION_FILES_MAX = 100;
export const DEFINITION_PARAMETERS_MAX = 50;
/** Maximum characters of an objective or summary in the short results of tools. */
export const LISTED_TEXT_CHARS = 160;
