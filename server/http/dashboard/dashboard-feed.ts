import type { Health } from '../../contract/dashboard/dashboard-environment.ts';
import type { EventHub } from '../../lib/event-hub.ts';
import type { DeploymentChange } from '../../services/deployments/deployed-function.ts';
import type { LogEvents } from '../../services/logs/log-events.ts';
import type { ApprovalChange } from '../../services/mcp/mcp-service.ts';

interface OfConnection {
  environmentId: number;
  integrationKey: string;
  connectionId: string;
}

/** Facts that the dashboard shows as they happen; `app.ts` has the services tell them to its event hub. */
export interface DashboardFacts {
  operation: LogEvents['operation'];
  message: LogEvents['message'];
  connection: OfConnection & { change: 'created' | 'updated' | 'deleted' };
  /** Its state, schedule or last run changed. */
  sync: OfConnection & { sync: string; variant: string };
  /** A batch of records was saved. */
  records: OfConnection & { model: string; variant: string };
  function: DeploymentChange;
  approval: ApprovalChange;
  /** A webhook came, began, went on or ended. */
  webhook: { environmentId: number; direction: 'incoming' | 'outgoing'; id: string };
  health: Health;
}

export type DashboardFeed = Pick<EventHub<DashboardFacts>, 'on'>;
