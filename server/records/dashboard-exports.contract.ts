/**
 * Lists that can be exported completely. The route `GET /api/v1/export/…` with the rest of the path takes the same
 * query without `offset` and `limit`, and streams one JSON object per line: every matching row as it was at the time of
 * the request. Records can also be exported as a SQLite file (`format=sqlite`).
 */
export const EXPORTED_LISTS = [
  'GET /api/v1/connections',
  'GET /api/v1/integrations',
  'GET /api/v1/functions',
  'GET /api/v1/logs/operations',
  'GET /api/v1/logs/messages',
  'GET /api/v1/webhooks/incoming',
  'GET /api/v1/webhooks/outgoing',
  'GET /api/v1/audit',
  'GET /api/v1/connections/:integrationKey/:connectionId/records',
] as const;

/** The list that supports `format=sqlite`. */
export const RECORD_LIST = 'GET /api/v1/connections/:integrationKey/:connectionId/records' satisfies ExportedList;

export type ExportedList = (typeof EXPORTED_LISTS)[number];

export const exportPath = (list: ExportedList): string => list.replace('GET /api/v1/', '/api/v1/export/');
