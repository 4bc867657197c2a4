import { createAction } from 'homeport';
import * as z from 'zod';
import { type DriveFile, FILE_FIELDS, File, toFile } from '../models.js';
import { readRefusal } from '../refusal.js';

const NewFolder = z.object({
  name: z.string().min(1),
  /** The parent folder or shared drive. Default: the top of the user's own drive. */
  parent_id: z.string().min(1).optional(),
  description: z.string().optional(),
});

export default createAction({
  description: 'Creates a folder',
  version: '1.0.0',
  // Enough for folders that the app itself created. Other folders need the scope without `.file`.
  scopes: ['https://www.googleapis.com/auth/drive.file'],
  input: NewFolder,
  output: File,

  exec: async (nango, input) => {
    const { data: folder } = await nango.zodValidateInput({ zodSchema: NewFolder, input });

    try {
      // https://developers.google.com/workspace/drive/api/guides/folder
      // No retries: names need not be unique, so a repeated request could create two folders.
      const { data } = await nango.post<DriveFile>({
        endpoint: '/drive/v3/files',
        params: { supportsAllDrives: true, fields: FILE_FIELDS },
        data: {
          name: folder.name,
          mimeType: 'application/vnd.google-apps.folder',
          description: folder.description,
          parents: folder.parent_id === undefined ? undefined : [folder.parent_id],
        },
      });
      return toFile(data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'parent_not_found' : 'folder_refused';
      throw new nango.ActionError({ code, ...refusal });
    }
  },

  // Moves the folder to the trash.
  undo: async (nango, { output }) => {
    const { data } = await nango.get<{ files: unknown[] }>({
      endpoint: '/drive/v3/files',
      params: {
        q: `'${output.id}' in parents and trashed = false`,
        pageSize: 1,
        supportsAllDrives: true,
        includeItemsFromAllDrives: true,
      },
      retries: 3,
    });
    if (data.files.length > 0)
      throw new nango.ActionError({ code: 'changed_since', message: 'There are files in the folder since that call.' });
    const endpoint = `/drive/v3/files/${encodeURIComponent(output.id)}`;
    await nango.patch({ endpoint, params: { supportsAllDrives: true }, data: { trashed: true } });
  },
});
