import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogReader } from '../../catalog/catalog-reader.ts';
import type { Health } from '../../contract/dashboard/dashboard-environment.ts';
import type { PracticeFailureKind } from '../../contract/dashboard/dashboard-practice.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import type { AuditService } from '../../services/audit/audit-service.ts';
import type { ConnectSessionsService } from '../../services/connect-sessions/connect-sessions-service.ts';
import type { StoredConnection } from '../../services/connections/connection.ts';
import type { ConnectionsService } from '../../services/connections/connections-service.ts';
import type { AutoLock } from '../../services/data-care/auto-lock.ts';
import type { DataCareService } from '../../services/data-care/data-care-service.ts';
import type { KeyCare } from '../../services/data-care/key-care.ts';
import type { DeletionsService } from '../../services/deletions/deletions-service.ts';
import type { DeploymentsService } from '../../services/deployments/deployments-service.ts';
import type { TemplateCopies } from '../../services/deployments/function-templates.ts';
import type { FunctionWriter } from '../../services/deployments/function-writer.ts';
import type { AppPairings } from '../../services/environment/app-pairings.ts';
import type { DashboardLogin } from '../../services/environment/dashboard-login.ts';
import type { EnvironmentService } from '../../services/environment/environment-service.ts';
import type { FunctionTestsService } from '../../services/function-tests/function-tests-service.ts';
import type { IncomingService } from '../../services/incoming/incoming-service.ts';
import type { IntegrationsService } from '../../services/integrations/integrations-service.ts';
import type { EnvironmentCopies, EnvironmentRemoval } from '../../services/lifecycle/environment-lifecycle.ts';
import type { FunctionPruning } from '../../services/lifecycle/function-pruning.ts';
import type { FunctionSyncs } from '../../services/lifecycle/function-syncs.ts';
import type { LifecycleService } from '../../services/lifecycle/lifecycle-service.ts';
import type { StoredConnectionTests } from '../../services/lifecycle/stored-connection-tests.ts';
import type { LogsService } from '../../services/logs/logs-service.ts';
import type { McpService } from '../../services/mcp/mcp-service.ts';
import type { NotificationCentreService } from '../../services/notification-centre/notification-centre-service.ts';
import type { NotificationsService } from '../../services/notifications/notifications-service.ts';
import type { OverviewService } from '../../services/overview/overview-service.ts';
import type { PlaygroundService } from '../../services/playground/playground-service.ts';
import type { ProviderEntriesService } from '../../services/provider-entries/provider-entries-service.ts';
import type { RecordFiles } from '../../services/records/record-files.ts';
import type { RecordsService } from '../../services/records/records-service.ts';
import type { SyncSchedulesService } from '../../services/sync-schedules/sync-schedules-service.ts';
import type { TelemetryService } from '../../services/telemetry/telemetry-service.ts';
import type { TransferService } from '../../services/transfer/transfer-service.ts';
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
  functionSyncs: FunctionSyncs;
  functionPruning: FunctionPruning;
  records: RecordsService;
  recordFiles: RecordFiles;
  schedules: SyncSchedulesService;
  lifecycle: LifecycleService;
  connectionTests: Pick<StoredConnectionTests, 'canCheckOnRequest' | 'checkOnRequest'>;
  mcp: McpService;
  incoming: Pick<IncomingService, 'archive' | 'repeat'>;
  notifications: NotificationsService;
  notificationCentre: NotificationCentreService;
  overview: OverviewService;
  functionTests: FunctionTestsService;
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
