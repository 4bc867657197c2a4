import { createAction } from 'homeport';
import * as z from 'zod';
import { askLinear } from '../ask-linear.js';
import { ISSUE_FIELDS, type LinearIssue, toIssue } from '../linear-issue.js';
import { Issue } from '../models.js';

const NewIssue = z.object({
  team_id: z.string().min(1),
  title: z.string().min(1),
  /** Markdown. */
  description: z.string().optional(),
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  priority: z.number().int().min(0).max(4).optional(),
  state_id: z.string().optional(),
  assignee_id: z.string().optional(),
  label_ids: z.array(z.string()).optional(),
  due_date: z.iso.date().optional(),
});

const CREATE_ISSUE = `
  mutation CreateIssue($input: IssueCreateInput!) {
    issueCreate(input: $input) { success issue { ...IssueFields } }
  }
  ${ISSUE_FIELDS}
`;

const READ_ISSUE = `
  query ReadIssue($id: String!) { issue(id: $id) { ...IssueFields } }
  ${ISSUE_FIELDS}
`;

export default createAction({
  description: 'Creates an issue in a team',
  version: '1.0.0',
  input: NewIssue,
  output: Issue,
  scopes: ['issues:create'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewIssue, input });

    // https://linear.app/developers/graphql#creating-and-editing-issues
    const { issueCreate } = await askLinear<{ issueCreate: { issue: LinearIssue } }>(nango, {
      query: CREATE_ISSUE,
      variables: {
        input: {
          teamId: data.team_id,
          title: data.title,
          description: data.description,
          priority: data.priority,
          stateId: data.state_id,
          assigneeId: data.assignee_id,
          labelIds: data.label_ids,
          dueDate: data.due_date,
        },
      },
    });

    return toIssue(issueCreate.issue);
  },

  // Linear keeps deleted issues for 30 days.
  undo: async (nango, { output }) => {
    const variables = { id: output.id };
    const { issue } = await askLinear<{ issue: LinearIssue }>(nango, { query: READ_ISSUE, variables, retries: 3 });
    if (issue.updatedAt !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The issue was changed since that call.' });
    await askLinear(nango, { query: 'mutation DeleteIssue($id: String!) { issueDelete(id: $id) { success } }', variables });
  },
});
