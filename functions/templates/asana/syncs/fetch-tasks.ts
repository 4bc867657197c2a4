import { createSync, type HttpError } from 'homeport';
import * as z from 'zod';
import { type AsanaEvent, type AsanaTask, readTask, TASK_FIELDS, taskIds, toTask } from '../asana-responses.js';
import { Task } from '../models.js';

const Choice = z.object({
  /** `fetch-projects` lists the ids. */
  projectId: z.string().regex(/^\d+$/),
});

interface EventsPage {
  data: AsanaEvent[];
  /** Position in the list of events. The next request continues from here. */
  sync: string;
  has_more: boolean;
}

/** Status of an unknown token. The response contains a new one. */
const TOKEN_EXPIRED = 412;

/**
 * Asana keeps a list of events for each project. Every run sends the token of the previous run and gets the events
 * since then, deletions included. A token is valid for a day: after a longer pause everything is read again.
 */
export default createSync({
  description: 'Keeps a copy of the tasks of one project, by what happened since the last run and by webhooks',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every 15 minutes',
  // Does not start by itself: first a project has to be set in the metadata of the connection.
  autoStart: false,
  models: { Task },
  metadata: Choice,
  checkpoint: z.object({ projectId: z.string(), sync: z.string() }),
  scopes: ['default'],
  webhookSubscriptions: ['task.added', 'task.changed', 'task.removed', 'task.deleted', 'task.undeleted'],

  exec: async (nango) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Choice, input: await nango.getMetadata() });
    const { projectId } = data;
    const checkpoint = await nango.getCheckpoint();
    // A token is valid only for its own project.
    const token = checkpoint?.projectId === projectId ? checkpoint.sync : undefined;

    // Read before the tasks, so that the next run reads again what changes meanwhile.
    const { changedIds, sync } = await readEvents(token);
    if (!changedIds) await nango.trackDeletesStart('Task');

    for await (const { here, gone } of changedIds ? readTasks(changedIds) : listTasks()) {
      await nango.batchSave(here.map(toTask), 'Task');
      await nango.batchDelete(gone, 'Task');
    }

    if (!changedIds) await nango.trackDeletesEnd('Task');
    await nango.saveCheckpoint({ projectId, sync });

    /** Without `changedIds` when Asana does not know the token. */
    async function readEvents(token: string | undefined): Promise<{ changedIds?: string[]; sync: string }> {
      const events: AsanaEvent[] = [];
      let sync = token;
      try {
        for (;;) {
          // https://developers.asana.com/reference/getevents
          const { data: page }: { data: EventsPage } = await nango.get<EventsPage>({
            endpoint: '/api/1.0/events',
            params: { resource: projectId, sync },
            retries: 3,
          });
          events.push(...page.data);
          sync = page.sync;
          if (!page.has_more) return { changedIds: taskIds(events), sync };
        }
      } catch (error) {
        const { status, response } = error as HttpError<EventsPage>;
        if (status !== TOKEN_EXPIRED || !response) throw error;
        return { sync: response.data.sync };
      }
    }

    async function* listTasks() {
      // https://developers.asana.com/reference/gettasks
      const pages = nango.paginate<AsanaTask>({
        endpoint: '/api/1.0/tasks',
        params: { project: projectId, opt_fields: TASK_FIELDS },
        paginate: { limit: 100 },
        retries: 3,
      });
      for await (const here of pages) yield { here, gone: [] };
    }

    async function* readTasks(ids: string[]) {
      for (const id of ids) yield classify(id, await readTask(nango, id), projectId);
    }
  },

  onWebhook: async (nango, { events }: { events: AsanaEvent[] }) => {
    const { projectId } = await nango.getMetadata();

    // An event names the task, but not its current state.
    for (const id of taskIds(events)) {
      const { here, gone } = classify(id, await readTask(nango, id), projectId);
      await nango.batchSave(here.map(toTask), 'Task');
      await nango.batchDelete(gone, 'Task');
    }
  },
});

/** A task that left the project counts as deleted. */
function classify(id: string, task: AsanaTask | undefined, projectId: string) {
  const isHere = task?.memberships.some(({ project }) => project.gid === projectId);
  return task && isHere ? { here: [task], gone: [] } : { here: [], gone: [{ id }] };
}
