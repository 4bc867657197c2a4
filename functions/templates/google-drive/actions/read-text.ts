import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../refusal.js';

const Choice = z.object({ file_id: z.string().min(1) });

const FileText = z.object({
  id: z.string(),
  name: z.string(),
  /** Format of the text: `text/markdown`, `text/csv`, ... */
  mime_type: z.string(),
  text: z.string(),
});

interface FileKind {
  id: string;
  name: string;
  mimeType: string;
  size?: string;
}

/**
 * Files of Google's own types can only be exported:
 * https://developers.google.com/workspace/drive/api/guides/ref-export-formats
 */
const EXPORTS: Record<string, string> = {
  'application/vnd.google-apps.document': 'text/markdown',
  'application/vnd.google-apps.spreadsheet': 'text/csv',
  'application/vnd.google-apps.presentation': 'text/plain',
};
const IS_TEXT = /^(?:text\/|application\/(?:json|xml|yaml)$)/;
const MAX_BYTES = 1_000_000;

export default createAction({
  description: 'Reads the text of a document, of the first sheet of a spreadsheet, of slides or of a text file',
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  scopes: ['https://www.googleapis.com/auth/drive.readonly'],
  input: Choice,
  output: FileText,

  exec: async (nango, input) => {
    const { data: choice } = await nango.zodValidateInput({ zodSchema: Choice, input });
    const endpoint = `/drive/v3/files/${encodeURIComponent(choice.file_id)}`;

    try {
      // https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get
      const { data: file } = await nango.get<FileKind>({
        endpoint,
        params: { fields: 'id,name,mimeType,size', supportsAllDrives: true },
        retries: 3,
      });
      const exported = EXPORTS[file.mimeType];
      if (exported === undefined && !IS_TEXT.test(file.mimeType)) {
        throw new nango.ActionError({ code: 'not_a_text', message: `Text cannot be read from ${file.mimeType}.` });
      }
      if (Number(file.size ?? 0) > MAX_BYTES && exported === undefined) {
        throw new nango.ActionError({ code: 'too_large', message: `The file is larger than ${MAX_BYTES} bytes.` });
      }

      // https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export
      const { data: text } = await nango.get<string>({
        ...(exported
          ? { endpoint: `${endpoint}/export`, params: { mimeType: exported } }
          : { endpoint, params: { alt: 'media', supportsAllDrives: true } }),
        responseType: 'text',
        retries: 3,
      });
      return { id: file.id, name: file.name, mime_type: exported ?? file.mimeType, text };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'file_not_found' : 'file_refused';
      throw new nango.ActionError({ code, file_id: choice.file_id, ...refusal });
    }
  },
});
