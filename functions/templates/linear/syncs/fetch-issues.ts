import { createSync } from 'homeport';
import * as z from 'zod';
import { askLinear, linearPages } from '../ask-linear.js';
import { ISSUE_FIELDS, type LinearIssue, toIssue } from '../linear-issue.js';
import { Issue } from '../models.js';

/** https://linear.app/developers/filtering */
const CHANGED_ISSUES = `
  query ChangedIssues($after: String, $filter: IssueFilter) {
    issues(first: 50, after: $after, filter: $filter, orderBy: updatedAt, includeArchived: true) {
      nodes { ...IssueFields }
      pageInfo { hasNextPage endCursor }
    }
  }
  ${ISSUE_FIELDS}
`;

const ONE_ISSUE = `
  query OneIssue($id: String!) { issue(id: $id) { ...IssueFields } }
  ${ISSUE_FIELDS}
`;

/** https://linear.app/developers/webhooks */
interface LinearWebhook {
  action: 'create' | 'update' | 'remove' | 'restore';
  data: { id: string };
}

/** Runs on a schedule and for Linear's webhooks, so that a change arrives within seconds and none is missed. */
export default createSync({
  description: 'Keeps a copy of all issues, by what changed since the last run and by webhooks',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Issue },
  checkpoint: z.object({ updatedSince: z.string() }),
  scopes: ['read'],
  webhookSubscriptions: ['Issue'],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    const filter = checkpoint ? { updatedAt: { gte: checkpoint.updatedSince } } : {};
    let newest: string | undefined;

    for await (const issues of linearPages<LinearIssue>(nango, {
      name: 'issues',
      query: CHANGED_ISSUES,
      variables: { filter },
    })) {
      newest ??= issues[0]?.updatedAt;
      const [trashed, kept] = partition(issues);
      await nango.batchSave(kept.map(toIssue), 'Issue');
      // In the first run no record exists that could be deleted.
      if (checkpoint) {
        await nango.batchDelete(trashed, 'Issue');
      }
    }

    // The latest change comes first, so the checkpoint moves only after all issues were read.
    if (newest) {
      await nango.saveCheckpoint({ updatedSince: newest });
    }
  },

  onWebhook: async (nango, { action, data }: LinearWebhook) => {
    if (action === 'remove') {
      await nango.batchDelete([{ id: data.id }], 'Issue');
      return;
    }
    // Read again instead of taken from the webhook: the record then equals that of a run, and the order of webhooks
    // does not matter.
    const { issue } = await askLinear<{ issue: LinearIssue }>(nango, {
      query: ONE_ISSUE,
      variables: { id: data.id },
      retries: 3,
    });
    const [trashed, kept] = partition([issue]);
    await nango.batchSave(kept.map(toIssue), 'Issue');
    await nango.batchDelete(trashed, 'Issue');
  },
});

/** Issues in the trash count as deleted; archived issues are kept. */
function partition(issues: LinearIssue[]): [trashed: Array<{ id: string }>, kept: LinearIssue[]] {
  const trashed = issues.filter((issue) => issue.trashed);
  return [trashed.map(({ id }) => ({ id })), issues.filter((issue) => !issue.trashed)];
}
