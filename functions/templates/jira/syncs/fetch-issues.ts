import { createSync } from 'homeport';
import * as z from 'zod';
import { findApi, ISSUE_FIELDS, type JiraIssue, readRefusal, toIso, toIssue } from '../jira-responses.js';
import { Issue } from '../models.js';

/** Jira refuses a search without a condition. No issue is older than this. */
const BEFORE_ALL = '2000-01-01T00:00:00.000Z';
/** An hour of local time occurs twice when summer time ends, and a change can be found only after a moment. */
const OVERLAP_MS = 3_600_000;

/** https://developer.atlassian.com/cloud/jira/platform/webhooks/ */
interface JiraWebhook {
  webhookEvent: 'jira:issue_created' | 'jira:issue_updated' | 'jira:issue_deleted';
  issue: { id: string };
}

/**
 * Runs on a schedule and for Jira's webhooks. The scheduled run finds changes; only a webhook reports a deleted issue.
 * An administrator of the site has to add the webhook for the events below.
 */
export default createSync({
  description: 'Keeps a copy of the issues of all projects, by what changed since the last run and by webhooks',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Issue },
  checkpoint: z.object({ updatedSince: z.string() }),
  scopes: ['read:jira-work', 'read:jira-user'],
  webhookSubscriptions: ['jira:issue_created', 'jira:issue_updated', 'jira:issue_deleted'],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    const since = checkpoint ? Date.parse(checkpoint.updatedSince) - OVERLAP_MS : Date.parse(BEFORE_ALL);
    const api = await findApi(nango);

    // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-myself/#api-rest-api-3-myself-get
    const { data: me } = await nango.get<{ timeZone: string }>({ endpoint: `${api}/myself`, retries: 3 });

    // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-jql-post
    const pages = nango.paginate<JiraIssue>({
      method: 'POST',
      endpoint: `${api}/search/jql`,
      data: { jql: `updated >= "${toLocalTime(since, me.timeZone)}" ORDER BY updated ASC`, fields: ISSUE_FIELDS },
      paginate: {
        type: 'cursor',
        cursor_path_in_response: 'nextPageToken',
        cursor_name_in_request: 'nextPageToken',
        limit_name_in_request: 'maxResults',
        limit: 100,
        response_path: 'issues',
      },
      // A search changes nothing, so it may be repeated although it is a POST.
      retries: 3,
    });

    for await (const issues of pages) {
      await nango.batchSave(issues.map(toIssue), 'Issue');

      // Issues are sorted by their last change. A run that is interrupted continues after this page.
      const last = issues.at(-1);
      if (last) {
        await nango.saveCheckpoint({ updatedSince: toIso(last.fields.updated) });
      }
    }
  },

  onWebhook: async (nango, { webhookEvent, issue }: JiraWebhook) => {
    const current = webhookEvent === 'jira:issue_deleted' ? undefined : await readIssue(issue.id);
    if (current) {
      await nango.batchSave([toIssue(current)], 'Issue');
    } else {
      await nango.batchDelete([{ id: issue.id }], 'Issue');
    }

    /**
     * Read again, because the webhook has another form of the description. Undefined when the issue was deleted or is
     * not accessible.
     */
    async function readIssue(id: string): Promise<JiraIssue | undefined> {
      try {
        // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-issueidorkey-get
        const { data } = await nango.get<JiraIssue>({
          endpoint: `${await findApi(nango)}/issue/${encodeURIComponent(id)}`,
          params: { fields: ISSUE_FIELDS },
          retries: 3,
        });
        return data;
      } catch (error) {
        if (readRefusal(error)?.status === 404) return undefined;
        throw error;
      }
    }
  },
});

/** A search reads times in the user's time zone: 2026-02-10 12:45. */
function toLocalTime(time: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(time);
}
