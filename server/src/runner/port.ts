/** The port that this folder implements; the runner program uses only these types of the server. */
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
