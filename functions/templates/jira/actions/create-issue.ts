import { createAction } from 'homeport';
import * as z from 'zod';
import { toDocument } from '../document.js';
import { findApi, readRefusal } from '../jira-responses.js';

const NewIssue = z.object({
  /** For example SHOP. */
  project_key: z.string().min(1),
  /** Name of an issue type of the project: Task, Bug, Story, ... */
  type: z.string().min(1),
  summary: z.string().min(1).max(255),
  /** Plain text, a paragraph for each line. */
  description: z.string().optional(),
  priority: z.string().optional(),
  assignee_id: z.string().optional(),
  labels: z.array(z.string().regex(/^\S+$/, 'A label cannot contain spaces.')).optional(),
  /** Key of the parent issue or epic. */
  parent_key: z.string().optional(),
  due_date: z.iso.date().optional(),
});

const CreatedIssue = z.object({ id: z.string(), key: z.string() });

export default createAction({
  description: 'Creates an issue in a project',
  version: '1.0.0',
  input: NewIssue,
  output: CreatedIssue,
  scopes: ['write:jira-work'],

  exec: async (nango, input) => {
    const { data: issue } = await nango.zodValidateInput({ zodSchema: NewIssue, input });

    try {
      // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-post
      // No retries: a request that created the issue and lost its response must not create a second one.
      const { data } = await nango.post<z.infer<typeof CreatedIssue>>({
        endpoint: `${await findApi(nango)}/issue`,
        data: {
          fields: {
            project: { key: issue.project_key },
            issuetype: { name: issue.type },
            summary: issue.summary,
            description: issue.description === undefined ? undefined : toDocument(issue.description),
            priority: issue.priority === undefined ? undefined : { name: issue.priority },
            assignee: issue.assignee_id === undefined ? undefined : { accountId: issue.assignee_id },
            labels: issue.labels,
            parent: issue.parent_key === undefined ? undefined : { key: issue.parent_key },
            duedate: issue.due_date,
          },
        },
      });
      return { id: data.id, key: data.key };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'issue_refused', ...refusal });
    }
  },

  undo: async (nango, { output }) => {
    const endpoint = `${await findApi(nango)}/issue/${output.id}`;
    const { data: now } = await nango.get<{ fields: { created: string; updated: string } }>({
      endpoint,
      params: { fields: 'created,updated' },
      retries: 3,
    });
    if (now.fields.updated !== now.fields.created)
      throw new nango.ActionError({ code: 'changed_since', message: 'The issue was changed since that call.' });
    await nango.delete({ endpoint });
  },
});
