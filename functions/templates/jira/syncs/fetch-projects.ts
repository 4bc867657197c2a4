import { createSync } from 'homeport';
import type * as z from 'zod';
import { findApi } from '../jira-responses.js';
import { Project } from '../models.js';

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/#api-rest-api-3-project-search-get */
interface JiraProject {
  id: string;
  key: string;
  name: string;
  description?: string;
  projectTypeKey: string;
  projectCategory?: { name: string };
  lead?: { accountId: string };
  isPrivate: boolean;
}

/** A full sync: a project that was deleted, or to which the user lost access, is marked as deleted. */
export default createSync({
  description: 'Keeps a copy of all projects that the user can see',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { Project },
  scopes: ['read:jira-work'],

  exec: async (nango) => {
    const api = await findApi(nango);
    await nango.trackDeletesStart('Project');

    const pages = nango.paginate<JiraProject>({
      endpoint: `${api}/project/search`,
      params: { expand: 'description,lead', orderBy: 'key' },
      paginate: {
        type: 'offset',
        offset_name_in_request: 'startAt',
        limit_name_in_request: 'maxResults',
        limit: 50,
        response_path: 'values',
      },
      retries: 3,
    });

    for await (const projects of pages) {
      await nango.batchSave(projects.map(toProject), 'Project');
    }

    await nango.trackDeletesEnd('Project');
  },
});

function toProject(project: JiraProject): z.infer<typeof Project> {
  return {
    id: project.id,
    key: project.key,
    name: project.name,
    description: project.description || null,
    type: project.projectTypeKey,
    category: project.projectCategory?.name ?? null,
    lead_id: project.lead?.accountId ?? null,
    is_private: project.isPrivate,
  };
}
