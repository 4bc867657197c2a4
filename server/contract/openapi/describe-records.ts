import { connectionHeaders } from '../api/actions.ts';
import { prunedAnswer, recordsAnswer } from '../api/answers/record-answers.ts';
import { empty } from '../api/fields.ts';
import { listRecordsQuery, pruneRecordsBody } from '../api/records.ts';
import type { RouteDescription } from './route-description.ts';

export const RECORD_ROUTES = {
  'GET /records': {
    id: 'listRecords',
    tag: 'Records',
    summary: 'List records of a sync',
    details:
      'In the order of their last change. Go on with `next_cursor`; keep the last one to learn later what changed.',
    access: 'key',
    scopes: ['records:read'],
    headers: connectionHeaders,
    query: listRecordsQuery,
    answers: { 200: recordsAnswer },
    errors: ['unknown_connection'],
  },
  'PATCH /records/prune': {
    id: 'pruneRecords',
    tag: 'Records',
    summary: 'Empty records up to a cursor',
    details: 'Their ids stay. Repeat while `has_more` is true.',
    access: 'key',
    scopes: ['records:write'],
    headers: connectionHeaders,
    query: empty,
    body: pruneRecordsBody,
    answers: { 200: prunedAnswer },
    errors: ['unknown_connection'],
  },
} as const satisfies Record<string, RouteDescription>;
