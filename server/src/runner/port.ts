/**
 * The types of `ports/runner.ts`, which this folder implements. The runner program uses no other types of the server.
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
