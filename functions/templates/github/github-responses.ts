import type { HttpError } from 'homeport';
import type * as z from 'zod';
import type { Issue } from './models.js';

/** Fixes the format of the responses: https://docs.github.com/en/rest/about-the-rest-api/api-versions */
export const API_VERSION = { 'x-github-api-version': '2022-11-28' };

export interface GithubAccount {
  login: string;
}

export type GithubLabel = string | { name?: string };

/** An issue in lists and single responses. GitHub lists pull requests as issues too. */
export interface GithubIssue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  state_reason?: string | null;
  labels: GithubLabel[];
  user: GithubAccount | null;
  assignees?: GithubAccount[] | null;
  comments: number;
  html_url: string;
  repository_url: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  pull_request?: unknown;
}

export function toIssue(issue: GithubIssue): z.infer<typeof Issue> {
  return {
    id: String(issue.id),
    repository: issue.repository_url.replace(/^.*\/repos\//, ''),
    number: issue.number,
    title: issue.title,
    body: issue.body,
    state: issue.state,
    state_reason: issue.state_reason ?? null,
    labels: namesOf(issue.labels),
    author: issue.user?.login ?? null,
    assignees: (issue.assignees ?? []).map(({ login }) => login),
    comments: issue.comments,
    url: issue.html_url,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
  };
}

/**
 * A full page may be the last one and a short page need not be. Only the header `link` says whether there is another
 * one.
 */
export function hasNextPage(headers: Record<string, unknown>): boolean {
  return /;\s*rel="?next"?/.test(String(headers['link'] ?? ''));
}

export function namesOf(labels: GithubLabel[]): string[] {
  return labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? [])));
}

/**
 * GitHub's explanation of a refused request, for the caller of an action. Undefined for failures that the caller cannot
 * fix: no response, revoked access, a limit, an outage.
 */
export function refusalOf(
  error: unknown,
): { code: string; status: number; message: string; errors: unknown[] } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status, response } = error as HttpError<{ message?: string; errors?: unknown[] }>;
  if (!status || status < 400 || status > 499 || status === 401 || status === 429) return undefined;
  const { message = error.message, errors = [] } = response?.data ?? {};
  return { code: status === 404 ? 'not_found' : 'refused_by_github', status, message, errors };
}
