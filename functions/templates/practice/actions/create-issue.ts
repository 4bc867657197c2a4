import { createAction } from 'homeport';
import * as z from 'zod';
import { Issue } from '../models.js';
import { requireUnchanged } from '../unchanged-issue.js';

const NewIssue = z.object({
  title: z.string().min(1),
  body: z.string().optional(),
  labels: z.array(z.string()).optional(),
});

/** The smallest useful action: check the input, send one request, return the response. */
export default createAction({
  description: 'Creates an issue',
  version: '1.0.0',
  input: NewIssue,
  output: Issue,

  exec: async (nango, input) => {
    // The hub passes the input on as sent. For an invalid input this ends the action with a clear message.
    const { data } = await nango.zodValidateInput({ zodSchema: NewIssue, input });

    // No retries: a request that created the issue and lost its response must not create a second one.
    const response = await nango.post({ endpoint: '/v1/issues', data });

    return Issue.parse(response.data);
  },

  // A person can undo what an agent did, once, as long as nobody changed the issue meanwhile.
  undo: async (nango, { output }) => {
    await requireUnchanged(nango, output);
    await nango.delete({ endpoint: `/v1/issues/${encodeURIComponent(output.id)}` });
  },
});
