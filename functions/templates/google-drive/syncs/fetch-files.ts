import { createSync } from 'homeport';
import * as z from 'zod';
import { type DriveFile, FILE_FIELDS, File, toFile } from '../models.js';
import { readRefusal } from '../refusal.js';

interface FilesPage {
  files: DriveFile[];
  nextPageToken?: string;
}

interface ChangesPage {
  changes: Array<{
    changeType: 'file' | 'drive';
    fileId?: string;
    /** The file was deleted, or is no longer shared with the user. */
    removed: boolean;
    file?: DriveFile;
  }>;
  nextPageToken?: string;
  /** On the last page only. */
  newStartPageToken?: string;
}

/** Value in the checkpoint for the user's own drive with the files that are shared with the user. */
const OWN_DRIVE = 'own';

/**
 * The first run lists the files; later runs read the list of changes, which includes deletions. A file in the trash
 * counts as deleted. Records do not contain the content of a file; the action `read-text` reads it.
 */
export default createSync({
  description:
    'Keeps a copy of the list of files of the user or of one shared drive, by what changed since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every 15 minutes',
  autoStart: true,
  scopes: ['https://www.googleapis.com/auth/drive.metadata.readonly'],
  models: { File },
  /** A shared drive from `fetch-drives`; only its files are read. Default: the user's own drive. */
  metadata: z.object({ driveId: z.string().optional() }),
  checkpoint: z.object({ drive: z.string(), pageToken: z.string() }),

  exec: async (nango) => {
    const { driveId } = (await nango.getMetadata()) ?? {};
    const drive = driveId ?? OWN_DRIVE;
    const inDrive = driveId ? { driveId, supportsAllDrives: true } : {};
    const inList = driveId ? { ...inDrive, includeItemsFromAllDrives: true } : {};

    const checkpoint = await nango.getCheckpoint();
    // A token is valid only for its own drive.
    const firstChanges = checkpoint?.drive === drive ? await findChanges(checkpoint.pageToken) : undefined;
    // Read before the files, so that the next run reads again what changes meanwhile.
    let nextStart = firstChanges ? undefined : await readStart();
    if (!firstChanges) await nango.trackDeletesStart('File');

    for await (const { here, gone } of firstChanges ? changes(firstChanges) : listed()) {
      await nango.batchSave(here.map(toFile), 'File');
      await nango.batchDelete(gone, 'File');
    }

    if (!firstChanges) await nango.trackDeletesEnd('File');
    if (nextStart) await nango.saveCheckpoint({ drive, pageToken: nextStart });

    /** The first page. Undefined when Google refuses the token, so that everything must be read again. */
    async function findChanges(pageToken: string): Promise<ChangesPage | undefined> {
      try {
        return await readChanges(pageToken);
      } catch (error) {
        if (!readRefusal(error)) throw error;
        return undefined;
      }
    }

    // Not `paginate`, which stops at an empty page: Google may send an empty page in the middle.
    async function* changes(first: ChangesPage) {
      let page = first;
      for (;;) {
        const files = page.changes.filter(({ changeType, fileId }) => changeType === 'file' && fileId !== undefined);
        const here = files.flatMap(({ file, removed }) => (file && !removed && !file.trashed ? [file] : []));
        const hereIds = new Set(here.map(({ id }) => id));
        const goneIds = files.map(({ fileId }) => String(fileId)).filter((id) => !hereIds.has(id));
        yield { here, gone: goneIds.map((id) => ({ id })) };
        nextStart = page.newStartPageToken;
        if (!page.nextPageToken) return;
        page = await readChanges(page.nextPageToken);
      }
    }

    async function* listed() {
      let pageToken: string | undefined;
      do {
        // https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
        const { data }: { data: FilesPage } = await nango.get<FilesPage>({
          endpoint: '/drive/v3/files',
          params: {
            ...inList,
            corpora: driveId ? 'drive' : 'user',
            q: 'trashed = false',
            pageSize: 1000,
            fields: `nextPageToken,files(${FILE_FIELDS})`,
            pageToken,
          },
          retries: 3,
        });
        yield { here: data.files, gone: [] };
        pageToken = data.nextPageToken;
      } while (pageToken);
    }

    async function readChanges(pageToken: string): Promise<ChangesPage> {
      // https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/list
      const { data } = await nango.get<ChangesPage>({
        endpoint: '/drive/v3/changes',
        params: {
          ...inList,
          pageToken,
          pageSize: 1000,
          fields: `nextPageToken,newStartPageToken,changes(changeType,fileId,removed,file(${FILE_FIELDS}))`,
        },
        retries: 3,
      });
      return data;
    }

    async function readStart(): Promise<string> {
      // https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/getStartPageToken
      const { data } = await nango.get<{ startPageToken: string }>({
        endpoint: '/drive/v3/changes/startPageToken',
        params: inDrive,
        retries: 3,
      });
      return data.startPageToken;
    }
  },
});
