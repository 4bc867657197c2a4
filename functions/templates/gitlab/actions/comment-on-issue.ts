import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../gitlab-responses.js';
import { ProjectRef, pathOf } from '../models.js';

const NewComment = z.object({
  project: ProjectRef,
  issue_number: z.number().int().positive(),
  /** Markdown. */
  body: z.string().min(1),
  /** Visible only to members of the project. */
  is_internal: z.boolean().optional(),
});

const Comment = z.object({
  id: z.string(),
  author: z.string(),
  body: z.string(),
  created_at: z.string(),
});

export default createAction({
  description: 'Comments on an issue',
  version: '1.0.0',
  input: NewComment,
  output: Comment,
  scopes: ['api'],

  exec: async (nango, input) => {
    const { data: comment } = await nango.zodValidateInput({ zodSchema: NewComment, input });

    try {
      // https://docs.gitlab.com/api/notes/#create-new-issue-note
      const { data } = await nango.post<{
        id: number;
        body: string;
        author: { username: string };
        created_at: string;
      }>({
        endpoint: `${pathOf(comment.project)}/issues/${comment.issue_number}/notes`,
        data: { body: comment.body, internal: comment.is_internal },
      });
      return { id: String(data.id), author: data.author.username, body: data.body, created_at: data.created_at };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'issue_not_found' : 'comment_refused';
      throw new nango.ActionError({ code, ...refusal });
    }
  },

  undo: async (nango, { input, output }) => {
    const { issue_number, project } = input;
    await nango.delete({ endpoint: `${pathOf(project)}/issues/${issue_number}/notes/${output.id}` });
  },
});
