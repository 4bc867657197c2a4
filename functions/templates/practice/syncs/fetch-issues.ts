import { createSync } from 'homeport';
import * as z from 'zod';
import { Issue } from '../models.js';

/** An incremental sync: every run reads only what changed since the previous run. */
export default createSync({
  description: 'Keeps a copy of all issues, by what changed since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  // Starts as soon as a connection exists. Without it the API or the app has to start the sync.
  autoStart: true,
  models: { Issue },
  checkpoint: z.object({ updatedSince: z.string() }),

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();

    // The provider's catalogue entry defines the cursor, the page size and the path of the issues.
    const pages = nango.paginate<z.infer<typeof Issue>>({
      endpoint: '/v1/issues',
      params: checkpoint ? { updated_since: checkpoint.updatedSince } : {},
      retries: 3,
    });

    for await (const issues of pages) {
      await nango.batchSave(issues.map(pickIssue), 'Issue');

      // Issues are sorted by their last change. A run that is interrupted continues after this page.
      const last = issues.at(-1);
      if (last) {
        await nango.saveCheckpoint({ updatedSince: last.updated_at });
      }
    }
  },
});

/** Saves only the fields of the model. */
function pickIssue(issue: z.infer<typeof Issue>): z.infer<typeof Issue> {
  return {
    id: issue.id,
    number: issue.number,
    title: issue.title,
    body: issue.body,
    state: issue.state,
    labels: issue.labels,
    assignee_id: issue.assignee_id,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
  };
}
