import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../asana-responses.js';

const NewComment = z.object({
  task_id: z.string().min(1),
  text: z.string().min(1),
});

const Comment = z.object({
  id: z.string(),
  text: z.string(),
  author_id: z.string().nullable(),
  created_at: z.string(),
});

/** https://developers.asana.com/reference/stories */
interface AsanaStory {
  gid: string;
  text: string;
  created_by: { gid: string } | null;
  created_at: string;
}

export default createAction({
  description: 'Comments on a task',
  version: '1.0.0',
  input: NewComment,
  output: Comment,
  scopes: ['default'],

  exec: async (nango, input) => {
    const { data: comment } = await nango.zodValidateInput({ zodSchema: NewComment, input });

    try {
      // https://developers.asana.com/reference/createstoryfortask
      const { data } = await nango.post<{ data: AsanaStory }>({
        endpoint: `/api/1.0/tasks/${encodeURIComponent(comment.task_id)}/stories`,
        params: { opt_fields: 'text,created_by.gid,created_at' },
        data: { data: { text: comment.text } },
      });
      const { gid, text, created_by: author, created_at } = data.data;
      return { id: gid, text, author_id: author?.gid ?? null, created_at };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'task_not_found' : 'comment_refused';
      throw new nango.ActionError({ code, task_id: comment.task_id, ...refusal });
    }
  },

  undo: async (nango, { output }) => {
    await nango.delete({ endpoint: `/api/1.0/stories/${output.id}` });
  },
});
