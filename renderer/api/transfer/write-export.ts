import { bytesOf } from '../../lib/base64.ts';
import { type RequestInput, request } from '../request.ts';

type ExportBody = RequestInput<'POST /api/v1/transfer/export'>['body'];

interface ExportOrder extends ExportBody {
  format: 'zip' | 'json';
}

/** Exports an environment, or a selection of it, as a file. Never cached: it may hold secrets. */
export async function writeExport(env: string, { format, ...body }: ExportOrder): Promise<Blob> {
  if (format === 'zip') {
    const { archive } = await request('POST /api/v1/transfer/archive', { query: { env }, body });
    return new Blob([bytesOf(archive)], { type: 'application/zip' });
  }
  const { file } = await request('POST /api/v1/transfer/export', { query: { env }, body });
  return new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' });
}
