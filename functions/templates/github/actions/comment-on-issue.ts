import { createAction } from 'homeport';
import * as z from 'zod';
import { API_VERSION, type GithubAccount, refusalOf } from '../github-responses.js';
import { Comment, pathOf, RepositoryRef } from '../models.js';

const NewComment = RepositoryRef.extend({
  /** Number of an issue or of a pull request. */
  number: z.number().int().positive(),
  body: z.string().min(1),
});

interface GithubComment {
  id: number;
  body: string;
  user: GithubAccount | null;
  html_url: string;
  created_at: string;
}

export default createAction({
  description: 'Comments on an issue or a pull request',
  version: '1.0.0',
  input: NewComment,
  output: Comment,
  scopes: ['repo'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewComment, input });

    try {
      // https://docs.github.com/en/rest/issues/comments#create-an-issue-comment
      const { data: comment } = await nango.post<GithubComment>({
        endpoint: `${pathOf(data)}/issues/${data.number}/comments`,
        data: { body: data.body },
        headers: API_VERSION,
      });
      return {
        id: String(comment.id),
        body: comment.body,
        author: comment.user?.login ?? null,
        url: comment.html_url,
        created_at: comment.created_at,
      };
    } catch (error) {
      const refusal = refusalOf(error);
      throw refusal ? new nango.ActionError(refusal) : error;
    }
  },

  undo: async (nango, { input, output }) => {
    await nango.delete({ endpoint: `${pathOf(input)}/issues/comments/${output.id}`, headers: API_VERSION });
  },
});
