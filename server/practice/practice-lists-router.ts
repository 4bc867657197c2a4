import { Router } from 'express';
import { pageLinks, queryInt } from './practice-paging.ts';
import type { PracticeTracker } from './practice-tracker.ts';

/**
 * One list for each other kind of paging: `/comments` by `Link` header, `/users` by `offset` + `limit`, `/labels` by
 * `page` + `per_page`.
 */
export function practiceListsRouter(tracker: PracticeTracker): Router {
  const router = Router();
  router.get('/comments', (request, response) => {
    const page = queryInt(request, 'page', { low: 1, high: 100_000, fallback: 1 });
    const perPage = queryInt(request, 'per_page', { low: 1, high: 100, fallback: 50 });
    const issueId = request.query['issue_id'];
    const all = tracker.listComments(typeof issueId === 'string' ? issueId : undefined);
    const links = pageLinks(request, page, Math.ceil(all.length / perPage));
    if (links) response.set('link', links);
    response.json(all.slice((page - 1) * perPage, page * perPage));
  });
  router.get('/users', (request, response) => {
    const offset = queryInt(request, 'offset', { low: 0, high: 1_000_000, fallback: 0 });
    const limit = queryInt(request, 'limit', { low: 1, high: 100, fallback: 25 });
    const all = tracker.listUsers();
    response.json({ users: all.slice(offset, offset + limit), total: all.length });
  });
  router.get('/labels', (request, response) => {
    const page = queryInt(request, 'page', { low: 1, high: 100_000, fallback: 1 });
    const perPage = queryInt(request, 'per_page', { low: 1, high: 100, fallback: 5 });
    response.json({ labels: tracker.listLabels().slice((page - 1) * perPage, page * perPage), page });
  });
  return router;
}
