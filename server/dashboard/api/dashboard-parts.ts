import type { AgentProgramsService } from '../../agents/agent-programs.service.ts';
import type { AgentSessionsService } from '../../agents/agent-sessions.service.ts';
import type { SessionCallsService } from '../../agents/session-calls.service.ts';
import type { AgentSignInService } from '../../agents/sign-in/sign-in.service.ts';
import type { ConnectSessionsService } from '../../authorization/connect-sessions.service.ts';
import type { StoredConnection } from '../../connections/connection.ts';
import type { ConnectionsService } from '../../connections/connections.service.ts';
import type { AutoLock } from '../../data/auto-lock.ts';
import type { DataCareService } from '../../data/data-care.service.ts';
import type { DeletionsService } from '../../data/deletions.service.ts';
import type { KeyCare } from '../../data/key-care.ts';
import type { TransferService } from '../../data/transfer.service.ts';
import type { DestinationsService } from '../../destinations/destinations.service.ts';
import type { CommandRunsService } from '../../egress/command-runs.service.ts';
import type { AppPairings } from '../../environments/app-pairings.ts';
import type { AuditService } from '../../environments/audit.service.ts';
import type { Health } from '../../environments/dashboard-environment.contract.ts';
import type { DashboardLogin } from '../../environments/dashboard-login.ts';
import type { EnvironmentService } from '../../environments/environment.service.ts';
import type { DeploymentsService } from '../../functions/deployments/deployments.service.ts';
import type { DescribedFunctions } from '../../functions/deployments/described-functions.ts';
import type { TemplateCopies } from '../../functions/deployments/function-templates.ts';
import type { FunctionWriter } from '../../functions/deployments/function-writer.ts';
import type { DriftWatchService } from '../../functions/drift-watch.service.ts';
import type { FunctionTestsService } from '../../functions/function-tests.service.ts';
import type { ImportsService } from '../../imports/imports.service.ts';
import type { Catalog, CatalogReader } from '../../integrations/catalog/catalog.ts';
import type { IntegrationsService } from '../../integrations/integrations.service.ts';
import type { EnvironmentCopies, EnvironmentRemoval } from '../../lifecycle/environment-lifecycle.ts';
import type { FunctionPruning } from '../../lifecycle/function-pruning.ts';
import type { FunctionSyncs } from '../../lifecycle/function-syncs.ts';
import type { LifecycleService } from '../../lifecycle/lifecycle.service.ts';
import type { StoredConnectionTests } from '../../lifecycle/stored-connection-tests.ts';
import type { LimitsService } from '../../limits/limits.service.ts';
import type { LogsService } from '../../log/logs.service.ts';
import type { TelemetryService } from '../../log/telemetry/telemetry.service.ts';
import type { AnswerLinks } from '../../mcp/answer-links.ts';
import type { ApprovalsTargets } from '../../mcp/approvals-target.ts';
import type { McpService } from '../../mcp/mcp.service.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import type { QueriesService } from '../../queries/queries.service.ts';
import type { SavedQueriesService } from '../../queries/saved-queries.service.ts';
import type { RecordFiles } from '../../records/record-files.ts';
import type { RecordsService } from '../../records/records.service.ts';
import type { SnapshotsService } from '../../snapshots/snapshots.service.ts';
import type { SyncSchedulesService } from '../../syncs/sync-schedules.service.ts';
import type { IncomingService } from '../../webhooks-in/incoming.service.ts';
import type { NotificationsService } from '../../webhooks-out/notifications.service.ts';
import type { PracticeFailureKind } from '../dashboard-practice.contract.ts';
import type { NotificationCentreService } from '../notification-centre.service.ts';
import type { OverviewService } from '../overview.service.ts';
import type { PlaygroundService } from '../playground/playground.service.ts';
import type { ProviderEntriesService } from '../provider-entries.service.ts';
import type { DashboardFeed } from './dashboard-feed.ts';

/** Addresses and settings of this start. They are functions because the port is known only after the server listens. */
export interface DashboardAbout {
  version: string;
  functionsFolder: string;
  dataFolder: string;
  /** The command that runs `homeport` from any folder. */
  command: string;
  /** Base URL of the public API. */
  apiUrl(): string;
  /** Origin of webhook and callback addresses. */
  publicBase(): string;
  /** Origin of pages for browsers on this computer, with the same host name as the callback address. */
  localBase(): string;
  health(): Health;
}

interface PracticeSimulationState {
  kind: PracticeFailureKind;
  startedAt: number;
  endsAt: number;
}

/** Everything that the dashboard's routes, pages and event stream use. */
export interface DashboardParts {
  about: DashboardAbout;
  feed: DashboardFeed;
  catalog: CatalogReader & Pick<Catalog, 'pending' | 'approve'>;
  dashboardLogin: DashboardLogin;
  environments: EnvironmentService;
  environmentCopies: Pick<EnvironmentCopies, 'copy'>;
  environmentRemoval: Pick<EnvironmentRemoval, 'remove'>;
  pairings: AppPairings;
  commandRuns: CommandRunsService;
  audit: AuditService;
  dataCare: DataCareService;
  keyCare: KeyCare;
  autoLock: AutoLock;
  logs: LogsService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  connectSessions: ConnectSessionsService;
  /** Obtains a new token now. Throws the error that `GET /connections/:id?force_refresh=true` would answer. */
  refreshCredentials(connection: StoredConnection): Promise<void>;
  deletions: DeletionsService;
  deployments: DeploymentsService;
  templateCopies: TemplateCopies;
  functionWriter: FunctionWriter;
  describedFunctions: DescribedFunctions;
  functionSyncs: FunctionSyncs;
  functionPruning: FunctionPruning;
  records: RecordsService;
  recordFiles: RecordFiles;
  schedules: SyncSchedulesService;
  lifecycle: LifecycleService;
  connectionTests: Pick<StoredConnectionTests, 'canCheckOnRequest' | 'checkOnRequest'>;
  limits: LimitsService;
  queries: QueriesService;
  imports: ImportsService;
  destinations: DestinationsService;
  savedQueries: SavedQueriesService;
  snapshots: SnapshotsService;
  mcp: McpService;
  answerLinks: Pick<AnswerLinks, 'lastSentOf' | 'sendTest'>;
  approvalsTargets: Pick<ApprovalsTargets, 'describe'>;
  agentPrograms: AgentProgramsService;
  agentSessions: AgentSessionsService;
  sessionCalls: SessionCallsService;
  agentSignIn: AgentSignInService;
  incoming: Pick<IncomingService, 'archive' | 'repeat'>;
  notifications: NotificationsService;
  notificationCentre: NotificationCentreService;
  overview: OverviewService;
  functionTests: FunctionTestsService;
  driftWatch: DriftWatchService;
  playground: PlaygroundService;
  providerEntries: ProviderEntriesService;
  transfer: TransferService;
  telemetry: Pick<TelemetryService, 'stateOf' | 'sendTest'>;
  /** Built pages (`dist/renderer`). */
  rendererFolder: string;
  /** Folder of the providers' pictures, `<provider>.svg`. */
  logosFolder: string;
  /** The client that the practice provider accepts for authorizations; not a secret. */
  practiceClient: { id: string; secret: string };
  /** Failures that the practice provider simulates. Times are in milliseconds since the epoch. */
  practiceSimulation: {
    current(): PracticeSimulationState | undefined;
    start(kind: PracticeFailureKind, durationMs: number): PracticeSimulationState;
    end(): void;
  };
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}
