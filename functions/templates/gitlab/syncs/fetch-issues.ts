import { createSync } from 'homeport';
import * as z from 'zod';
import { BY_LINK, type GitlabIssue, readRefusal, toIssue } from '../gitlab-answers.js';
import { Issue, ProjectRef, pathOf } from '../models.js';

const Choice = z.object({
  /** Paths such as acme/shop, or ids; `fetch-projects` knows both. */
  projects: z.array(ProjectRef).min(1),
});

/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
interface GitlabWebhook {
  object_attributes: { id: number; iid: number; project_id: number };
  project: { path_with_namespace: string };
}

/** The clocks of this computer and of GitLab may differ by this much. */
const OVERLAP_MS = 300_000;

/**
 * Runs by the clock and by GitLab's webhooks, so that a change is here in seconds. That an issue was deleted is not
 * among what GitLab tells: reset the sync when that matters.
 */
export default createSync({
  description: 'Keeps a copy of the issues of the projects that the metadata name',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  // Waits to be started: first the projects have to be chosen, as metadata of the connection.
  autoStart: false,
  models: { Issue },
  metadata: Choice,
  // A project that is added later is read from here on; reset the sync to read its past as well.
  checkpoint: z.object({ updatedSince: z.string() }),
  scopes: ['read_api'],
  webhookSubscriptions: ['Issue Hook', 'Confidential Issue Hook'],

  exec: async (nango) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Choice, input: await nango.getMetadata() });
    const checkpoint = await nango.getCheckpoint();
    const startedAt = Date.now();

    for (const project of data.projects) {
      // https://docs.gitlab.com/api/issues/#list-project-issues
      // In the order of their creation: what changes meanwhile moves nothing to a page that was read before.
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

    // Only a run that read all projects has nothing left to do.
    await nango.saveCheckpoint({ updatedSince: new Date(startedAt - OVERLAP_MS).toISOString() });
  },

  onWebhook: async (nango, { object_attributes: told, project }: GitlabWebhook) => {
    const { projects } = await nango.getMetadata();
    const isChosen = projects?.some((one) => one === project.path_with_namespace || one === String(told.project_id));
    if (!isChosen) return;

    try {
      // https://docs.gitlab.com/api/issues/#single-project-issue
      // Asked again instead of taken from the webhook, which has other fields, and may come late.
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
