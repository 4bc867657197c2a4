import { createSync } from 'homeport';
import type * as z from 'zod';
import { BY_LINK } from '../gitlab-responses.js';
import { Project } from '../models.js';

interface GitlabProject {
  id: number;
  path_with_namespace: string;
  name: string;
  description: string | null;
  visibility: 'private' | 'internal' | 'public';
  default_branch: string | null;
  topics: string[];
  archived: boolean;
  star_count: number;
  open_issues_count?: number;
  web_url: string;
  created_at: string;
  last_activity_at: string;
}

/** A full sync: projects that were deleted, or that the user left, are marked as deleted. */
export default createSync({
  description: 'Keeps a copy of all projects that the user is a member of',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { Project },
  scopes: ['read_api'],

  exec: async (nango) => {
    await nango.trackDeletesStart('Project');

    // https://docs.gitlab.com/api/projects/#list-all-projects
    // Keyset pagination, because other lists of projects end after 50,000 entries.
    const pages = nango.paginate<GitlabProject>({
      endpoint: '/api/v4/projects',
      params: { membership: true, pagination: 'keyset', order_by: 'id', sort: 'asc' },
      paginate: BY_LINK,
      retries: 3,
    });

    for await (const projects of pages) {
      await nango.batchSave(projects.map(toProject), 'Project');
    }

    await nango.trackDeletesEnd('Project');
  },
});

function toProject(project: GitlabProject): z.infer<typeof Project> {
  return {
    id: String(project.id),
    path: project.path_with_namespace,
    name: project.name,
    description: project.description,
    visibility: project.visibility,
    default_branch: project.default_branch,
    topics: project.topics,
    is_archived: project.archived,
    stars: project.star_count,
    open_issues: project.open_issues_count ?? null,
    url: project.web_url,
    created_at: project.created_at,
    last_activity_at: project.last_activity_at,
  };
}
