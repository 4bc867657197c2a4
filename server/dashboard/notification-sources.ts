import type { ConnectionEvents } from '../connections/connections.service.ts';
import type { DestinationEvents } from '../destinations/destinations.service.ts';
import type { PairingEvents } from '../environments/app-pairings.ts';
import type { KeyUseEvents } from '../environments/key-use.ts';
import type { DeploymentChange } from '../functions/deployments/deployed-function.ts';
import type { DriftEvents } from '../functions/drift-watch.service.ts';
import type { LogEvents } from '../log/log-events.ts';
import type { QuestionSent } from '../mcp/answer-links.ts';
import type { ApprovalChange } from '../mcp/mcp.service.ts';
import type { SnapshotEvents } from '../snapshots/snapshots.service.ts';
import type { SyncEvents } from '../syncs/sync-events.ts';
import type { DeliveryEvents } from '../webhooks-out/delivery-runner.ts';

/** The events that the centre listens to. */
export interface NotificationSources
  extends ConnectionEvents,
    SyncEvents,
    Pick<LogEvents, 'operation'>,
    DeliveryEvents,
    DestinationEvents,
    DriftEvents,
    SnapshotEvents,
    PairingEvents,
    Pick<KeyUseEvents, 'access'> {
  function: DeploymentChange;
  approval: ApprovalChange;
  question_sent: QuestionSent;
}
