import { createAction } from 'homeport';
import * as z from 'zod';
import { type GitlabIssue, readRefusal, toIssue } from '../gitlab-responses.js';
import { Issue, ProjectRef, pathOf } from '../models.js';

const NewIssue = z.object({
  project: ProjectRef,
  title: z.string().min(1).max(255),
  /** Markdown. */
  description: z.string().optional(),
  labels: z.array(z.string().regex(/^[^,]+$/, 'A label cannot contain commas.')).optional(),
  assignee_ids: z.array(z.number().int()).optional(),
  due_date: z.iso.date().optional(),
  is_confidential: z.boolean().optional(),
});

export default createAction({
  description: 'Creates an issue in a project',
  version: '1.0.0',
  input: NewIssue,
  output: Issue,
  scopes: ['api'],

  exec: async (nango, input) => {
    const { data: issue } = await nango.zodValidateInput({ zodSchema: NewIssue, input });

    try {
      // https://docs.gitlab.com/api/issues/#new-issue
      // No retries: a request that created the issue and lost its response must not create a second one.
      const { data } = await nango.post<GitlabIssue>({
        endpoint: `${pathOf(issue.project)}/issues`,
        data: {
          title: issue.title,
          description: issue.description,
          labels: issue.labels?.join(','),
          assignee_ids: issue.assignee_ids,
          due_date: issue.due_date,
          confidential: issue.is_confidential,
        },
      });
      return toIssue(data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'project_not_found' : 'issue_refused';
      throw new nango.ActionError({ code, project: issue.project, ...refusal });
    }
  },

  // Only owners of a project can delete an issue.
  undo: async (nango, { input, output }) => {
    const endpoint = `${pathOf(input.project)}/issues/${output.number}`;
    const { data: now } = await nango.get<GitlabIssue>({ endpoint, retries: 3 });
    if (now.updated_at !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The issue was changed since that call.' });
    await nango.put({ endpoint, data: { state_event: 'close' } });
  },
});
