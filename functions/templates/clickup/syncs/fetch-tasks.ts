import { createSync } from 'homeport';
import * as z from 'zod';
import { type ClickupTask, readWorkspaces, toTask } from '../clickup-responses.js';
import { Task } from '../models.js';

interface TasksPage {
  tasks: ClickupTask[];
  last_page: boolean;
}

/** Largest difference between the clocks of this computer and of ClickUp. */
const OVERLAP_MS = 300_000;

/** ClickUp lists changed tasks, but not deleted ones. Reset the sync to find deletions. */
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
      // Not `paginate`, because only `last_page` marks the last page.
      for (let page = 0; !isLast; page += 1) {
        // https://developer.clickup.com/reference/getfilteredteamtasks
        // Sorted by creation, so that a change moves no task to a page that was already read.
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

    // Only after all workspaces were read, because an interrupted run must start again.
    await nango.saveCheckpoint({ updatedSince: startedAt - OVERLAP_MS });
  },
});
