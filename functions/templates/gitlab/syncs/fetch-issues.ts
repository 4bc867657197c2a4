import { createSync } from 'homeport';
import * as z from 'zod';
import { BY_LINK, type GitlabIssue, readRefusal, toIssue } from '../gitlab-responses.js';
import { Issue, ProjectRef, pathOf } from '../models.js';

const Choice = z.object({
  /** Paths such as acme/shop, or ids. `fetch-projects` lists both. */
  projects: z.array(ProjectRef).min(1),
});

/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
interface GitlabWebhook {
  object_attributes: { id: number; iid: number; project_id: number };
  project: { path_with_namespace: string };
}

/** Largest difference between the clocks of this computer and of GitLab. */
const OVERLAP_MS = 300_000;

/**
 * Runs on a schedule and for GitLab's webhooks, so that a change arrives within seconds. GitLab does not report deleted
 * issues. Reset the sync to find deletions.
 */
export default createSync({
  description: 'Keeps a copy of the issues of the projects that are named in the metadata',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  // Does not start by itself: first the projects have to be set in the metadata of the connection.
  autoStart: false,
  models: { Issue },
  metadata: Choice,
  // A project that is added later is read from this time on. Reset the sync to read its older issues too.
  checkpoint: z.object({ updatedSince: z.string() }),
  scopes: ['read_api'],
  webhookSubscriptions: ['Issue Hook', 'Confidential Issue Hook'],

  exec: async (nango) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Choice, input: await nango.getMetadata() });
    const checkpoint = await nango.getCheckpoint();
    const startedAt = Date.now();

    for (const project of data.projects) {
      // https://docs.gitlab.com/api/issues/#list-project-issues
      // Sorted by creation, so that a change moves no issue to a page that was already read.
      const pages = nango.paginate<GitlabIssue>({
        endpoint: `${pathOf(project)}/issues`,
        params: { updated_after: checkpoint?.updatedSince, scope: 'all', order_by: 'created_at', sort: 'asc' },
        paginate: BY_LINK,
        retries: 3,
      });

      for await (const issues of pages) {
        await nango.batchSave(issues.map(toIssue), 'Issue');
      }
    }

    // Only after all projects were read, because an interrupted run must start again.
    await nango.saveCheckpoint({ updatedSince: new Date(startedAt - OVERLAP_MS).toISOString() });
  },

  onWebhook: async (nango, { object_attributes: told, project }: GitlabWebhook) => {
    const { projects } = await nango.getMetadata();
    const isChosen = projects?.some((one) => one === project.path_with_namespace || one === String(told.project_id));
    if (!isChosen) return;

    try {
      // https://docs.gitlab.com/api/issues/#single-project-issue
      // Read again, because the webhook has other fields and may arrive late.
      const { data } = await nango.get<GitlabIssue>({
        endpoint: `${pathOf(String(told.project_id))}/issues/${told.iid}`,
        retries: 3,
      });
      await nango.batchSave([toIssue(data)], 'Issue');
    } catch (error) {
      if (readRefusal(error)?.status !== 404) throw error;
      await nango.batchDelete([{ id: String(told.id) }], 'Issue');
    }
  },
});
