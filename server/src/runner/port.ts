/** The port that this folder implements; the runner program sees only these types of the application layer. */
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
