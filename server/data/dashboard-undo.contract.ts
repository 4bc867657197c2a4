import { z } from 'zod';
import { done, environmentQuery, isoTime } from '../contract/dashboard/dashboard-lists.ts';

/** Largest number of syncs that are set back by one request. */
const MAX_CHANGED_SYNCS = 10_000;

/** Member of a command that pauses or resumes syncs: its response has `changed`, so that it can be undone. */
export const wantsChanged = z.boolean().optional();
/** Ids of the syncs whose schedule was paused or resumed; those that were so already are left out. */
export const changedSyncs = z.array(z.string()).optional();

export const undoSyncsBody = z.object({
  /** The command that is taken back. */
  command: z.enum(['pause', 'resume']),
  syncs: z.array(z.string().max(100)).min(1).max(MAX_CHANGED_SYNCS),
});

/** Query of a deletion: with `hold` it waits for some seconds, in which it can be undone. */
export const deletionQuery = environmentQuery.extend({ hold: z.literal('true').optional() });

/** A deletion that waits until then, unless it is kept waiting. */
export const heldDeletion = z.object({ id: z.uuid(), until: isoTime });

/** `held` is absent when the deletion has happened. */
export const deletionResponse = done.extend({ held: heldDeletion.optional() });

const deletionParams = z.object({ deletionId: z.uuid() });

export const undoRouteShapes = {
  'POST /api/v1/deletions/:deletionId/keep': {
    meaning: 'Lets a deletion wait again as long as at its start; refused with `conflict` when it has happened.',
    params: deletionParams,
    query: environmentQuery,
    response: heldDeletion,
  },
  'POST /api/v1/deletions/:deletionId/undo': {
    meaning: 'Undoes a deletion that waits; refused with `conflict` when it has happened.',
    params: deletionParams,
    query: environmentQuery,
    response: done,
  },
  'POST /api/v1/deletions/:deletionId/end': {
    meaning: 'Carries out a deletion that waits.',
    params: deletionParams,
    query: environmentQuery,
    response: done,
  },
  'POST /api/v1/sync/undo': {
    meaning: 'Takes a pause or a resume back for the syncs that it changed; returns how many were set back.',
    query: environmentQuery,
    body: undoSyncsBody,
    response: z.object({ count: z.number().int() }),
  },
};
