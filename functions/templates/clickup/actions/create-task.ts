import { createAction } from 'homeport';
import * as z from 'zod';
import { type ClickupTask, readRefusal, toTask } from '../clickup-responses.js';
import { Task } from '../models.js';

/** ClickUp's numbers of the priorities. */
const PRIORITIES = { urgent: 1, high: 2, normal: 3, low: 4 };

const NewTask = z.object({
  list_id: z.string().regex(/^\d+$/),
  name: z.string().min(1),
  /** Markdown. */
  description: z.string().optional(),
  /** A status of the list. */
  status: z.string().optional(),
  priority: z.enum(['urgent', 'high', 'normal', 'low']).optional(),
  tags: z.array(z.string()).optional(),
  assignee_ids: z.array(z.number().int()).optional(),
  /** Creates the task as a subtask of this one. */
  parent_id: z.string().optional(),
  due_at: z.iso.datetime({ offset: true }).optional(),
});

export default createAction({
  description: 'Creates a task in a list, or a subtask',
  version: '1.0.0',
  input: NewTask,
  output: Task,

  exec: async (nango, input) => {
    const { data: task } = await nango.zodValidateInput({ zodSchema: NewTask, input });

    try {
      // https://developer.clickup.com/reference/createtask
      // No retries: a request that created the task and lost its response must not create a second one.
      const { data } = await nango.post<ClickupTask>({
        endpoint: `/api/v2/list/${task.list_id}/task`,
        data: {
          name: task.name,
          markdown_content: task.description,
          status: task.status,
          priority: task.priority && PRIORITIES[task.priority],
          tags: task.tags,
          assignees: task.assignee_ids,
          parent: task.parent_id,
          due_date: task.due_at === undefined ? undefined : Date.parse(task.due_at),
          due_date_time: task.due_at === undefined ? undefined : true,
        },
      });
      return toTask(data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'task_refused', list_id: task.list_id, ...refusal });
    }
  },

  undo: async (nango, { output }) => {
    const endpoint = `/api/v2/task/${output.id}`;
    const { data: now } = await nango.get<ClickupTask>({ endpoint, retries: 3 });
    if (toTask(now).updated_at !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The task was changed since that call.' });
    await nango.delete({ endpoint });
  },
});
