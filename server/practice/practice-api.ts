import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Request, Router } from 'express';
import LinkHeader from 'http-link-header';
import * as z from 'zod';
import { accessOf, describeCaller } from './authorization/practice-authorization.ts';
import { PracticeError } from './practice-error.ts';
import { ISSUE_STATES, type PracticeIssue, type PracticeTracker } from './practice-tracker.ts';

/** The routes below `/v1`: issues, one list for each other kind of paging, large answers, and probes. */
export function practiceApi(tracker: PracticeTracker): Router {
  const router = Router();
  addIssues(router, tracker);
  addLists(router, tracker);
  addLargeAnswers(router);
  addProbes(router);
  return router;
}

/** A change stream with cursor paging (`cursor`, `limit`, `updated_since`, `state`), and the usual write operations. */
function addIssues(router: Router, tracker: PracticeTracker): void {
  router.get('/issues', (request, response) => {
    response.json(issuePage(request, tracker.listIssues()));
  });
  router.post('/issues', (request, response) => {
    const input = parsed(newIssue, request.body);
    response.status(201).json(tracker.createIssue(input, accessOf(response)?.person?.id));
  });
  router.get('/issues/:id', (request, response) => {
    response.json(found(tracker.findIssue(request.params.id)));
  });
  router.patch('/issues/:id', (request, response) => {
    response.json(found(tracker.updateIssue(request.params.id, parsed(issuePatch, request.body))));
  });
  router.delete('/issues/:id', (request, response) => {
    if (!tracker.deleteIssue(request.params.id)) found(undefined);
    response.status(204).end();
  });
}

/** `/comments` by `Link` header, `/users` by `offset` + `limit`, `/labels` by `page` + `per_page`. */
function addLists(router: Router, tracker: PracticeTracker): void {
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
}

/**
 * Answers for which a client must stream instead of buffering: `/export?records=&bytes=&format=ndjson|json`, downloads
 * `/files/<name>?bytes=`, multipart upload to `/files`.
 */
function addLargeAnswers(router: Router): void {
  router.get('/export', async (request, response) => {
    const asArray = request.query['format'] === 'json';
    response.type(asArray ? 'application/json' : 'application/x-ndjson');
    await pipeline(Readable.from(exportText(exportRange(request), asArray)), response);
  });
  router.get('/export/page', (request, response) => {
    const range = exportRange(request);
    const offset = queryInt(request, 'cursor', { low: 0, high: 1_000_000, fallback: 0 });
    const end = Math.min(range.records, offset + queryInt(request, 'limit', { low: 1, high: 1000, fallback: 100 }));
    const records = Array.from({ length: Math.max(0, end - offset) }, (_, index) =>
      exportRecord(offset + index, range.bytes),
    );
    response.json({ records, next_cursor: end < range.records ? String(end) : null });
  });
  router.get('/files/:name', (request, response) => {
    const length = queryInt(request, 'bytes', { low: 0, high: 50_000_000, fallback: 1024 });
    const { name } = request.params;
    response.attachment(name).type('application/octet-stream').send(fileBytes(name, length));
  });
  router.post('/files', async (request, response) => {
    response.status(201).json(await describeUpload(request));
  });
}

/** Routes that show a caller its own request: identity, what was sent, and `/redirect?to=&status=`. */
function addProbes(router: Router): void {
  router.get('/me', (_request, response) => {
    const credential = accessOf(response)?.credential ?? '';
    response.json({ ...describeCaller(response), key: credential.replace(/(?<=.{9}).+/, '…') });
  });
  router.all('/echo{/*rest}', (request, response) => {
    response.json({
      method: request.method,
      path: new URL(request.originalUrl, 'http://practice').pathname,
      query: request.query,
      headers: request.headers,
      body: echoedBody(request),
    });
  });
  router.all('/redirect', (request, response) => {
    const status = queryInt(request, 'status', { low: 300, high: 308, fallback: 302 });
    const target = request.query['to'];
    if (typeof target !== 'string')
      throw new PracticeError(422, 'validation_failed', 'to names the target of the redirect.');
    response.redirect(status, target);
  });
}

const fields = {
  title: z.string().trim().min(1).max(200),
  body: z.string().max(10_000),
  state: z.enum(ISSUE_STATES),
  labels: z.array(z.string().min(1).max(50)).max(10),
  assignee_id: z.string().min(1).nullable(),
};
const issuePatch = z.strictObject(fields).partial();
const newIssue = issuePatch.required({ title: true });

/** JSON has no undefined members, so a member that is there has a value. */
function parsed<T>(schema: z.ZodType<T>, body: unknown): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const result = schema.safeParse(body);
  if (result.success) return result.data as never;
  const fields = result.error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }));
  throw new PracticeError(422, 'validation_failed', 'Some fields are not valid.', { members: { fields } });
}

function issuePage(request: Request, all: PracticeIssue[]): { issues: PracticeIssue[]; next_cursor: string | null } {
  const limit = queryInt(request, 'limit', { low: 1, high: 100, fallback: 50 });
  const matching = all.filter(cursorFilter(request)).filter(sinceFilter(request)).filter(stateFilter(request));
  const issues = matching.slice(0, limit);
  const last = issues.at(-1);
  const hasMore = last && matching.length > limit;
  const position = hasMore ? Buffer.from(`${last.updated_at} ${last.number}`).toString('base64url') : null;
  return { issues, next_cursor: position };
}

function cursorFilter(request: Request): (issue: PracticeIssue) => boolean {
  const { cursor } = request.query;
  if (typeof cursor !== 'string' || cursor === '') return () => true;
  const [, updatedAt, digits] = /^(\S{24}) (\d+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (!updatedAt) throw new PracticeError(422, 'invalid_cursor', 'The cursor was not issued by this tracker.');
  const number = Number(digits);
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

/** A whole number of the query within its limits. Throws a 422 that names the parameter. */
function queryInt(request: Request, name: string, rule: { low: number; high: number; fallback: number }): number {
  const text = request.query[name];
  if (text === undefined) return rule.fallback;
  const value = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.low && value <= rule.high) return value;
  throw new PracticeError(422, 'validation_failed', `${name} is a whole number from ${rule.low} to ${rule.high}.`, {
    members: { fields: [{ field: name }] },
  });
}

/** The `Link` header of one page: absolute addresses of `next` and `prev`, if they exist. */
function pageLinks(request: Request, page: number, lastPage: number): string {
  const links = new LinkHeader();
  const add = (rel: string, target: number): void => {
    const url = new URL(request.originalUrl, `${request.protocol}://${request.get('host')}`);
    url.searchParams.set('page', String(target));
    links.set({ rel, uri: url.href });
  };
  if (page < lastPage) add('next', page + 1);
  if (page > 1) add('prev', page - 1);
  return links.toString();
}

interface ExportRange {
  records: number;
  bytes: number;
}

function exportRange(request: Request): ExportRange {
  return {
    records: queryInt(request, 'records', { low: 0, high: 1_000_000, fallback: 1000 }),
    bytes: queryInt(request, 'bytes', { low: 0, high: 100_000, fallback: 200 }),
  };
}

function exportRecord(index: number, bytes: number) {
  return { id: `export-${index}`, index, text: 'x'.repeat(bytes) };
}

function* exportText(range: ExportRange, asArray: boolean): Generator<string> {
  if (asArray) yield '[';
  for (let index = 0; index < range.records; index++) {
    if (asArray && index > 0) yield ',';
    yield `${JSON.stringify(exportRecord(index, range.bytes))}${asArray ? '' : '\n'}`;
  }
  if (asArray) yield ']';
}

/** Returns the same bytes for the same name, with every byte value among them. */
function fileBytes(name: string, length: number): Buffer {
  const start = createHash('sha256').update(name).digest()[0] ?? 0;
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (start + index) & 0xff));
}

/** Describes the content of a multipart body, with a checksum per file. */
async function describeUpload(request: Request): Promise<{ fields: Record<string, string>; files: object[] }> {
  const form = await new Response(new Uint8Array(request.body as Buffer), {
    headers: { 'content-type': request.get('content-type') ?? '' },
  })
    .formData()
    .catch(() => undefined);
  if (!form) throw new PracticeError(422, 'validation_failed', 'Send the files as multipart/form-data.');
  const fields: Record<string, string> = {};
  const files: object[] = [];
  for (const [field, value] of form.entries()) {
    if (typeof value === 'string') {
      fields[field] = value;
      continue;
    }
    const bytes = Buffer.from(await value.arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    files.push({ field, name: value.name, type: value.type, size: bytes.length, sha256 });
  }
  return { fields, files };
}

function echoedBody(request: Request): unknown {
  if (!Buffer.isBuffer(request.body)) return request.body ?? null;
  const text = request.body.toString('utf8');
  return Buffer.from(text).equals(request.body) ? text : { base64: request.body.toString('base64') };
}
