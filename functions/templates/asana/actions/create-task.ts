import { createAction } from 'homeport';
import * as z from 'zod';
import { type AsanaTask, readRefusal, TASK_FIELDS, toTask } from '../asana-responses.js';
import { Task } from '../models.js';

const NewTask = z.object({
  name: z.string().min(1),
  /** The task is added to all of these projects. */
  project_ids: z.array(z.string().min(1)).min(1),
  notes: z.string().optional(),
  /** Id of a user, an e-mail address, or `me`. */
  assignee: z.string().optional(),
  due_on: z.iso.date().optional(),
  start_on: z.iso.date().optional(),
});

export default createAction({
  description: 'Creates a task in one project or several',
  version: '1.0.0',
  input: NewTask,
  output: Task,
  scopes: ['default'],

  exec: async (nango, input) => {
    const { data: task } = await nango.zodValidateInput({ zodSchema: NewTask, input });
    const { project_ids: projects, ...fields } = task;

    try {
      // https://developers.asana.com/reference/createtask
      // No retries: a request that created the task and lost its response must not create a second one.
      const { data } = await nango.post<{ data: AsanaTask }>({
        endpoint: '/api/1.0/tasks',
        params: { opt_fields: TASK_FIELDS },
        data: { data: { ...fields, projects } },
      });
      return toTask(data.data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'task_refused', ...refusal });
    }
  },

  // Asana keeps deleted tasks for 30 days.
  undo: async (nango, { output }) => {
    const endpoint = `/api/1.0/tasks/${output.id}`;
    const { data: now } = await nango.get<{ data: AsanaTask }>({
      endpoint,
      params: { opt_fields: 'modified_at' },
      retries: 3,
    });
    if (now.data.modified_at !== output.modified_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The task was changed since that call.' });
    await nango.delete({ endpoint });
  },
});
