import { createSync } from 'homeport';
import * as z from 'zod';
import { API_VERSION, type GithubIssue, toIssue } from '../github-answers.js';
import { Issue } from '../models.js';

/** An incremental sync over all repositories at once: every run asks only for what changed since the run before. */
export default createSync({
  description: 'Keeps a copy of the issues of all repositories that the user can see',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Issue },
  checkpoint: z.object({ updatedSince: z.string() }),
  scopes: ['repo'],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();

    // https://docs.github.com/en/rest/issues/issues#list-issues-assigned-to-the-authenticated-user
    // Without `filter` these would be only the issues that are assigned to the user.
    const pages = nango.paginate<GithubIssue>({
      endpoint: '/issues',
      params: {
        filter: 'all',
        state: 'all',
        sort: 'updated',
        direction: 'asc',
        ...(checkpoint ? { since: checkpoint.updatedSince } : {}),
      },
      headers: API_VERSION,
      paginate: { limit: 100 },
      retries: 3,
    });

    for await (const issues of pages) {
      const own = issues.filter((issue) => issue.pull_request === undefined);
      await nango.batchSave(own.map(toIssue), 'Issue');

      // They come in the order of their last change. A run that is interrupted continues after this page.
      const last = issues.at(-1);
      if (last) {
        await nango.saveCheckpoint({ updatedSince: last.updated_at });
      }
    }
  },
});
