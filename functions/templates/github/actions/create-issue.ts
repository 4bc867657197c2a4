import { createAction } from 'homeport';
import * as z from 'zod';
import { API_VERSION, type GithubIssue, refusalOf, toIssue } from '../github-responses.js';
import { Issue, pathOf, RepositoryRef } from '../models.js';

const NewIssue = RepositoryRef.extend({
  title: z.string().min(1),
  body: z.string().optional(),
  labels: z.array(z.string()).optional(),
  assignees: z.array(z.string()).optional(),
});

export default createAction({
  description: 'Creates an issue in a repository',
  version: '1.0.0',
  input: NewIssue,
  output: Issue,
  scopes: ['repo'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewIssue, input });
    const { owner, repository, ...issue } = data;

    try {
      // https://docs.github.com/en/rest/issues/issues#create-an-issue
      // No retries: a request that created the issue and lost its response must not create a second one.
      const response = await nango.post<GithubIssue>({
        endpoint: `${pathOf({ owner, repository })}/issues`,
        data: issue,
        headers: API_VERSION,
      });
      return toIssue(response.data);
    } catch (error) {
      const refusal = refusalOf(error);
      throw refusal ? new nango.ActionError(refusal) : error;
    }
  },

  // Only administrators of a repository can delete an issue.
  undo: async (nango, { input, output }) => {
    const endpoint = `${pathOf(input)}/issues/${output.number}`;
    const { data: now } = await nango.get<GithubIssue>({ endpoint, headers: API_VERSION, retries: 3 });
    if (now.updated_at !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The issue was changed since that call.' });
    await nango.patch({ endpoint, data: { state: 'closed', state_reason: 'not_planned' }, headers: API_VERSION });
  },
});
