import { createSync } from 'homeport';
import type * as z from 'zod';
import { API_VERSION } from '../github-responses.js';
import { Repository } from '../models.js';

interface GithubRepository {
  id: number;
  full_name: string;
  description: string | null;
  owner: { login: string };
  private: boolean;
  fork: boolean;
  archived: boolean;
  default_branch: string;
  language: string | null;
  topics?: string[];
  stargazers_count: number;
  open_issues_count: number;
  html_url: string;
  created_at: string;
  updated_at: string;
  pushed_at: string | null;
}

/** A full sync: repositories that were deleted, or to which the user lost access, are marked as deleted. */
export default createSync({
  description: 'Keeps a copy of all repositories that the user can see',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { Repository },
  scopes: ['repo'],

  exec: async (nango) => {
    await nango.trackDeletesStart('Repository');

    // https://docs.github.com/en/rest/repos/repos#list-repositories-for-the-authenticated-user
    // Sorted by creation, so that a new repository comes last and moves no other one to another page.
    const pages = nango.paginate<GithubRepository>({
      endpoint: '/user/repos',
      params: { sort: 'created', direction: 'asc' },
      headers: API_VERSION,
      paginate: { limit: 100 },
      retries: 3,
    });

    for await (const repositories of pages) {
      await nango.batchSave(repositories.map(toRepository), 'Repository');
    }

    await nango.trackDeletesEnd('Repository');
  },
});

function toRepository(repository: GithubRepository): z.infer<typeof Repository> {
  return {
    id: String(repository.id),
    full_name: repository.full_name,
    description: repository.description,
    owner: repository.owner.login,
    private: repository.private,
    fork: repository.fork,
    archived: repository.archived,
    default_branch: repository.default_branch,
    language: repository.language,
    topics: repository.topics ?? [],
    stars: repository.stargazers_count,
    open_issues: repository.open_issues_count,
    url: repository.html_url,
    created_at: repository.created_at,
    updated_at: repository.updated_at,
    pushed_at: repository.pushed_at,
  };
}
