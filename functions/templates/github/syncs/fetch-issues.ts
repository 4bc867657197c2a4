import { createSync } from 'homeport';
import * as z from 'zod';
import { API_VERSION, type GithubIssue, hasNextPage, toIssue } from '../github-responses.js';
import { Issue } from '../models.js';

/** An incremental sync over all repositories: every run reads only what changed since the previous run. */
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
    let since = (await nango.getCheckpoint())?.updatedSince;
    let page = 1;

    for (;;) {
      // https://docs.github.com/en/rest/issues/issues#list-issues-assigned-to-the-authenticated-user
      // The default of `filter` would return only the issues that are assigned to the user.
      const { data: issues, headers } = await nango.get<GithubIssue[]>({
        endpoint: '/issues',
        params: {
          filter: 'all',
          state: 'all',
          sort: 'updated',
          direction: 'asc',
          per_page: 100,
          page,
          ...(since ? { since } : {}),
        },
        headers: API_VERSION,
        retries: 3,
      });
      const own = issues.filter((issue) => issue.pull_request === undefined);
      await nango.batchSave(own.map(toIssue), 'Issue');

      // Issues are sorted by their last change. A run that is interrupted continues after this page.
      const last = issues.at(-1);
      if (last) {
        await nango.saveCheckpoint({ updatedSince: last.updated_at });
      }
      if (!last || !hasNextPage(headers)) return;

      // Not `paginate`: an issue that changes meanwhile moves to the end, and the first issue of the next page would
      // move to this page and be missed. So the next request starts at the time of the last issue; pages are needed
      // only for issues with the same time.
      page = last.updated_at === since ? page + 1 : 1;
      since = last.updated_at;
    }
  },
});
