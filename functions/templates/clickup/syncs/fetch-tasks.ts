import { createSync } from 'homeport';
import * as z from 'zod';
import { type ClickupTask, readWorkspaces, toTask } from '../clickup-answers.js';
import { Task } from '../models.js';

interface TasksPage {
  tasks: ClickupTask[];
  last_page: boolean;
}

/** The clocks of this computer and of ClickUp may differ by this much. */
const OVERLAP_MS = 300_000;

/** ClickUp lists what changed, and says nothing of tasks that were deleted: reset the sync when that matters. */
export default createSync({
  description: 'Keeps a copy of the tasks and subtasks of all workspaces, by what changed since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Task },
  checkpoint: z.object({ updatedSince: z.number() }),

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    const startedAt = Date.now();

    for (const workspace of await readWorkspaces(nango)) {
      let isLast = false;
      // Not `paginate`: only `last_page` tells that a page is the last.
      for (let page = 0; !isLast; page += 1) {
        // https://developer.clickup.com/reference/getfilteredteamtasks
        // In the order of their creation: what changes meanwhile moves nothing to a page that was read before.
        const { data }: { data: TasksPage } = await nango.get<TasksPage>({
          endpoint: `/api/v2/team/${workspace.id}/task`,
          params: {
            page,
            order_by: 'created',
            reverse: true,
            subtasks: true,
            include_closed: true,
            date_updated_gt: checkpoint?.updatedSince ?? 0,
          },
          retries: 3,
        });
        await nango.batchSave(data.tasks.map(toTask), 'Task');
        isLast = data.last_page || data.tasks.length === 0;
      }
    }

    // Only a run that read all workspaces has nothing left to do.
    await nango.saveCheckpoint({ updatedSince: startedAt - OVERLAP_MS });
  },
});
