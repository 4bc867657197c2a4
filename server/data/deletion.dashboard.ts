import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { Environment } from '../environments/environment.service.ts';
import { isoDate } from '../platform/lib/dates.ts';
import type { DeletedObject, DeletionsService, HeldDeletion } from './deletions.service.ts';

type Keys =
  | 'POST /api/v1/deletions/:deletionId/keep'
  | 'POST /api/v1/deletions/:deletionId/undo'
  | 'POST /api/v1/deletions/:deletionId/end';

export function deletionRoutes({ deletions }: Pick<DashboardParts, 'deletions'>): DashboardHandlers<Keys> {
  return {
    'POST /api/v1/deletions/:deletionId/keep': async ({ environment, params }) =>
      viewHeld(await deletions.keep(environment.id, params.deletionId)),
    'POST /api/v1/deletions/:deletionId/undo': async ({ environment, params }) => {
      await deletions.undo(environment.id, params.deletionId);
      return { success: true };
    },
    'POST /api/v1/deletions/:deletionId/end': async ({ environment, params }) => {
      await deletions.end(environment.id, params.deletionId);
      return { success: true };
    },
  };
}

export const viewHeld = ({ id, until }: HeldDeletion) => ({ id, until: isoDate(until) });

/** Deletes now, or in some seconds when the page can undo it. */
export async function deleteOrHold(
  deletions: DeletionsService,
  environment: Environment,
  { hold, object, deleteNow }: { hold: 'true' | undefined; object: DeletedObject; deleteNow: () => Promise<unknown> },
): Promise<{ success: true; held?: ReturnType<typeof viewHeld> }> {
  if (hold) return { success: true, held: viewHeld(await deletions.hold(environment, [object])) };
  await deleteNow();
  return { success: true };
}
