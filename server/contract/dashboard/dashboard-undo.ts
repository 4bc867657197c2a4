import { z } from 'zod';
import { environmentQuery } from './dashboard-lists.ts';

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

export const undoRouteShapes = {
  'POST /api/v1/sync/undo': {
    meaning: 'Takes a pause or a resume back for the syncs that it changed; returns how many were set back.',
    query: environmentQuery,
    body: undoSyncsBody,
    response: z.object({ count: z.number().int() }),
  },
};
