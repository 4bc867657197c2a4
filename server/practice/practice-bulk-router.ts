import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Request, Router } from 'express';
import { PracticeError } from './practice-error.ts';
import { queryInt } from './practice-paging.ts';

/**
 * Large answers and files, for which a client must stream instead of buffering:
 * `/export?records=&bytes=&format=ndjson|json`, downloads `/files/<name>?bytes=`, multipart upload to `/files`.
 */
export function practiceBulkRouter(): Router {
  const router = Router();
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
    const bytes = fileBytes(
      request.params.name,
      queryInt(request, 'bytes', { low: 0, high: 50_000_000, fallback: 1024 }),
    );
    response.attachment(request.params.name).type('application/octet-stream').send(bytes);
  });
  router.post('/files', async (request, response) => {
    response.status(201).json(await describeUpload(request));
  });
  return router;
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

function exportRecord(index: number, bytes: number): { id: string; index: number; text: string } {
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
    files.push({
      field,
      name: value.name,
      type: value.type,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
  }
  return { fields, files };
}
