/**
 * The types of `ports/runner.ts`, which this folder implements. These are the only types of the server that the runner
 * program uses.
 */
export type {
  InputReceipt,
  OutputReader,
  OutputSubscription,
  ProcessExit,
  ProcessIdentity,
  ProcessInfo,
  Runner,
  SpawnSpec,
} from '../ports/runner.ts';
