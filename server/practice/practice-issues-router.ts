import { type Request, Router } from 'express';
import { accessOf } from './authorization/practice-access.ts';
import { PracticeError } from './practice-error.ts';
import { ISSUE_STATES, type PracticeIssue } from './practice-issue.ts';
import { parseIssuePatch, parseNewIssue } from './practice-issue-input.ts';
import { decodePracticeCursor, encodePracticeCursor, queryInt } from './practice-paging.ts';
import type { PracticeTracker } from './practice-tracker.ts';

/**
 * `/issues`: a change stream with cursor paging (`cursor`, `limit`, `updated_since`, `state`), and the usual write
 * operations.
 */
export function practiceIssuesRouter(tracker: PracticeTracker): Router {
  const router = Router();
  router.get('/issues', (request, response) => {
    response.json(issuePage(request, tracker.listIssues()));
  });
  router.post('/issues', (request, response) => {
    response.status(201).json(tracker.createIssue(parseNewIssue(request.body), accessOf(response)?.person?.id));
  });
  router.get('/issues/:id', (request, response) => {
    response.json(found(tracker.findIssue(request.params.id)));
  });
  router.patch('/issues/:id', (request, response) => {
    response.json(found(tracker.updateIssue(request.params.id, parseIssuePatch(request.body))));
  });
  router.delete('/issues/:id', (request, response) => {
    if (!tracker.deleteIssue(request.params.id)) found(undefined);
    response.status(204).end();
  });
  return router;
}

function issuePage(request: Request, all: PracticeIssue[]): { issues: PracticeIssue[]; next_cursor: string | null } {
  const limit = queryInt(request, 'limit', { low: 1, high: 100, fallback: 50 });
  const matching = all.filter(cursorFilter(request)).filter(sinceFilter(request)).filter(stateFilter(request));
  const issues = matching.slice(0, limit);
  const last = issues.at(-1);
  const nextCursor =
    last && matching.length > limit ? encodePracticeCursor({ updatedAt: last.updated_at, number: last.number }) : null;
  return { issues, next_cursor: nextCursor };
}

function cursorFilter(request: Request): (issue: PracticeIssue) => boolean {
  const { cursor } = request.query;
  if (typeof cursor !== 'string' || cursor === '') return () => true;
  const { updatedAt, number } = decodePracticeCursor(cursor);
  return (issue) => issue.updated_at > updatedAt || (issue.updated_at === updatedAt && issue.number > number);
}

function sinceFilter(request: Request): (issue: PracticeIssue) => boolean {
  const since = request.query['updated_since'];
  if (typeof since !== 'string' || since === '') return () => true;
  const sinceMs = Date.parse(since);
  if (Number.isNaN(sinceMs)) throw invalid('updated_since', 'updated_since is a date and time (ISO 8601).');
  return (issue) => Date.parse(issue.updated_at) >= sinceMs;
}

function stateFilter(request: Request): (issue: PracticeIssue) => boolean {
  const { state } = request.query;
  if (state === undefined) return () => true;
  if (!ISSUE_STATES.some((known) => known === state))
    throw invalid('state', `state is one of ${ISSUE_STATES.join(', ')}.`);
  return (issue) => issue.state === state;
}

function found(issue: PracticeIssue | undefined): PracticeIssue {
  if (issue) return issue;
  throw new PracticeError(404, 'not_found', 'There is no such issue.');
}

function invalid(field: string, message: string): PracticeError {
  return new PracticeError(422, 'validation_failed', message, { members: { fields: [{ field, message }] } });
}
