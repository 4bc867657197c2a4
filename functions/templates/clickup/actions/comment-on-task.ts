import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../clickup-responses.js';

const NewComment = z.object({
  task_id: z.string().min(1),
  text: z.string().min(1),
  /** Notifies everyone who watches the task, also the author of the comment. */
  notify_all: z.boolean().optional(),
});

const Comment = z.object({ id: z.string(), created_at: z.string() });

export default createAction({
  description: 'Comments on a task',
  version: '1.0.0',
  input: NewComment,
  output: Comment,

  exec: async (nango, input) => {
    const { data: comment } = await nango.zodValidateInput({ zodSchema: NewComment, input });

    try {
      // https://developer.clickup.com/reference/createtaskcomment
      const { data } = await nango.post<{ id: number | string; date: number }>({
        endpoint: `/api/v2/task/${encodeURIComponent(comment.task_id)}/comment`,
        data: { comment_text: comment.text, notify_all: comment.notify_all ?? false },
      });
      return { id: String(data.id), created_at: new Date(Number(data.date)).toISOString() };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'task_not_found' : 'comment_refused';
      throw new nango.ActionError({ code, task_id: comment.task_id, ...refusal });
    }
  },

  undo: async (nango, { output }) => {
    await nango.delete({ endpoint: `/api/v2/comment/${output.id}` });
  },
});
