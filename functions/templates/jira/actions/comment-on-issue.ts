import { createAction } from 'homeport';
import * as z from 'zod';
import { toDocument } from '../document.js';
import { findApi, readRefusal, toIso } from '../jira-responses.js';

const NewComment = z.object({
  /** Id or key, for example SHOP-42. */
  issue: z.string().min(1),
  /** Plain text, a paragraph for each line. */
  text: z.string().min(1),
});

const Comment = z.object({ id: z.string(), author_id: z.string().nullable(), created_at: z.string() });

export default createAction({
  description: 'Comments on an issue',
  version: '1.0.0',
  input: NewComment,
  output: Comment,
  scopes: ['write:jira-work'],

  exec: async (nango, input) => {
    const { data: comment } = await nango.zodValidateInput({ zodSchema: NewComment, input });

    try {
      // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/#api-rest-api-3-issue-issueidorkey-comment-post
      const { data } = await nango.post<{ id: string; author?: { accountId: string }; created: string }>({
        endpoint: `${await findApi(nango)}/issue/${encodeURIComponent(comment.issue)}/comment`,
        data: { body: toDocument(comment.text) },
      });
      return { id: data.id, author_id: data.author?.accountId ?? null, created_at: toIso(data.created) };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'issue_not_found' : 'comment_refused';
      throw new nango.ActionError({ code, issue: comment.issue, ...refusal });
    }
  },

  undo: async (nango, { input, output }) => {
    const issue = `${await findApi(nango)}/issue/${encodeURIComponent(input.issue)}`;
    await nango.delete({ endpoint: `${issue}/comment/${output.id}` });
  },
});
