import { createSync } from 'homeport';
import * as z from 'zod';
import { API_VERSION, type GithubAccount, type GithubLabel, namesOf } from '../github-responses.js';
import { PullRequest } from '../models.js';

const Choice = z.object({
  /** `octocat/Hello-World` */
  repositories: z.array(z.string().regex(/^[\w.-]+\/[\w.-]+$/)).min(1),
});

interface GithubPullRequest {
  id: number;
  number: number;
  title: string;
  body: string | null;
  draft?: boolean;
  user: GithubAccount | null;
  requested_reviewers?: GithubAccount[] | null;
  labels: GithubLabel[];
  head: { ref: string };
  base: { ref: string };
  html_url: string;
  created_at: string;
  updated_at: string;
}

/** A full sync of open pull requests: one that was merged or closed is marked as deleted. */
export default createSync({
  description: 'Keeps a copy of the open pull requests of the repositories that are named in the metadata',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every half hour',
  // Does not start by itself: first the repositories have to be set in the metadata of the connection.
  autoStart: false,
  models: { PullRequest },
  metadata: Choice,
  scopes: ['repo'],

  exec: async (nango) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Choice, input: await nango.getMetadata() });
    await nango.trackDeletesStart('PullRequest');

    for (const repository of data.repositories) {
      // https://docs.github.com/en/rest/pulls/pulls#list-pull-requests
      const pages = nango.paginate<GithubPullRequest>({
        endpoint: `/repos/${repository}/pulls`,
        params: { state: 'open', sort: 'created', direction: 'asc' },
        headers: API_VERSION,
        paginate: { limit: 100 },
        retries: 3,
      });

      for await (const pullRequests of pages) {
        await nango.batchSave(
          pullRequests.map((pullRequest) => toPullRequest(pullRequest, repository)),
          'PullRequest',
        );
      }
    }

    // Reached only when every repository was read.
    await nango.trackDeletesEnd('PullRequest');
  },
});

function toPullRequest(pullRequest: GithubPullRequest, repository: string): z.infer<typeof PullRequest> {
  return {
    id: String(pullRequest.id),
    repository,
    number: pullRequest.number,
    title: pullRequest.title,
    body: pullRequest.body,
    draft: pullRequest.draft ?? false,
    author: pullRequest.user?.login ?? null,
    reviewers: (pullRequest.requested_reviewers ?? []).map(({ login }) => login),
    labels: namesOf(pullRequest.labels),
    head: pullRequest.head.ref,
    base: pullRequest.base.ref,
    url: pullRequest.html_url,
    created_at: pullRequest.created_at,
    updated_at: pullRequest.updated_at,
  };
}
