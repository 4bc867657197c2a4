import { createAction } from 'homeport';
import * as z from 'zod';
import { askLinear } from '../ask-linear.js';
import { ISSUE_FIELDS, type LinearIssue, toIssue } from '../linear-issue.js';
import { Issue } from '../models.js';

/** Missing members stay unchanged; null clears a member that may be empty. */
const Changes = z.object({
  /** The id, or the key that people use: ENG-42. */
  id: z.string().min(1),
  title: z.string().min(1).optional(),
  description: z.string().nullable().optional(),
  priority: z.number().int().min(0).max(4).optional(),
  state_id: z.string().optional(),
  assignee_id: z.string().nullable().optional(),
  due_date: z.iso.date().nullable().optional(),
});

const UPDATE_ISSUE = `
  mutation UpdateIssue($id: String!, $input: IssueUpdateInput!) {
    issueUpdate(id: $id, input: $input) { success issue { ...IssueFields } }
  }
  ${ISSUE_FIELDS}
`;

export default createAction({
  description: 'Changes an issue: its text, state, assignee, priority or due date',
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  input: Changes,
  output: Issue,
  scopes: ['write'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Changes, input });

    // https://linear.app/developers/graphql#creating-and-editing-issues
    const { issueUpdate } = await askLinear<{ issueUpdate: { issue: LinearIssue } }>(nango, {
      query: UPDATE_ISSUE,
      variables: {
        id: data.id,
        input: {
          title: data.title,
          description: data.description,
          priority: data.priority,
          stateId: data.state_id,
          assigneeId: data.assignee_id,
          dueDate: data.due_date,
        },
      },
    });

    return toIssue(issueUpdate.issue);
  },
});
