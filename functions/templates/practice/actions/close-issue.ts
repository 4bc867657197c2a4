import { createAction } from 'homeport';
import * as z from 'zod';
import { Issue } from '../models.js';
import { isNotFound, requireUnchanged } from '../unchanged-issue.js';

const IssueRef = z.object({ id: z.string().min(1) });

/** An action with a useful error: the payload of an ActionError reaches the caller. */
export default createAction({
  description: 'Closes an issue',
  version: '1.0.0',
  // As at a real provider: other people write issues.
  untrustedOutput: true,
  input: IssueRef,
  output: Issue,

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: IssueRef, input });
    const endpoint = `/v1/issues/${encodeURIComponent(data.id)}`;

    try {
      const { data: before } = await nango.get<z.infer<typeof Issue>>({ endpoint, retries: 3 });
      await nango.keepForUndo({ state: before.state });
      // Closing twice changes nothing, so this request may be repeated.
      const response = await nango.patch({ endpoint, data: { state: 'closed' }, retries: 3 });
      return Issue.parse(response.data);
    } catch (error) {
      if (isNotFound(error)) {
        throw new nango.ActionError({ code: 'issue_not_found', message: `There is no issue "${data.id}".` });
      }
      throw error;
    }
  },

  undo: async (nango, { kept, output }) => {
    await requireUnchanged(nango, output);
    await nango.patch({ endpoint: `/v1/issues/${encodeURIComponent(output.id)}`, data: { state: kept.state } });
  },
});
