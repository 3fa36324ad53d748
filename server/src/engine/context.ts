import type { AgentKinds } from '../ports/agents.ts';
import type { EventHub } from '../ports/events.ts';
import type { Git } from '../ports/git.ts';
import type { Host } from '../ports/host.ts';
import type { PrivateValues } from '../ports/private-values.ts';
import type { AgentProtocol } from '../ports/protocol.ts';
import type { ProcessResources } from '../ports/resources.ts';
import type { Runner } from '../ports/runner.ts';
import type { Screens } from '../ports/screens.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage.ts';
import type { OutputStreams } from '../ports/terminals.ts';
import type { AgentCatalogue } from './agents/catalogue.ts';
import type { AgentChecks } from './checks/checks.ts';
import type { BranchNaming } from './delegations/naming.ts';
import type { DelegationSaga } from './delegations/saga.ts';
import type { Jobs } from './jobs.ts';
import type { KeyTimes } from './processes/key-times.ts';
import type { Processes } from './processes/processes.ts';
import type { WorkerWatcher } from './processes/worker-watcher.ts';
import type { Reconciler } from './reconciler/reconciler.ts';
import type { SettingsReader } from './settings.ts';
import type { TranscriptScanner } from './transcripts/scanner.ts';
import type { WorktreeMaker } from './worktrees/maker.ts';

/** All parts of the engine. Each part picks the members it needs. */
export interface EngineContext {
  now: () => Date;
  newId: () => string;
  ownerId: string;
  version: string;
  /** Start time of this server. */
  startedAt: Date;
  storage: Storage;
  hub: EventHub;
  git: Git;
  runner: Runner;
  streams: OutputStreams;
  screens: Screens;
  resources: ProcessResources;
  keyTimes: KeyTimes;
  host: Host;
  secrets: Secrets;
  privateValues: PrivateValues;
  kinds: AgentKinds;
  catalogue: AgentCatalogue;
  settings: SettingsReader;
  reconciler: Reconciler;
  protocol: AgentProtocol;
  processes: Processes;
  watcher: WorkerWatcher;
  scanner: TranscriptScanner;
  jobs: Jobs;
  maker: WorktreeMaker;
  saga: DelegationSaga;
  naming: BranchNaming;
  checks: AgentChecks;
}
