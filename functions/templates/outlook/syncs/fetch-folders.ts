import { createSync } from 'homeport';
import type * as z from 'zod';
import { Folder } from '../models.js';

/** https://learn.microsoft.com/en-us/graph/api/resources/mailfolder */
interface MailFolder {
  id: string;
  displayName: string;
  parentFolderId: string | null;
  childFolderCount: number;
  totalItemCount: number;
  unreadItemCount: number;
}

/** The folders to choose from for `fetch-messages` and `move-message`. */
export default createSync({
  description: 'Keeps a copy of all folders of the mailbox and marks deleted ones',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every hour',
  autoStart: true,
  scopes: ['Mail.ReadBasic'],
  models: { Folder },

  exec: async (nango) => {
    await nango.trackDeletesStart('Folder');

    // https://learn.microsoft.com/en-us/graph/api/mailfolder-delta
    // Without a token it lists every folder, also nested ones.
    const pages = nango.paginate<MailFolder>({
      endpoint: '/v1.0/me/mailFolders/delta',
      paginate: { type: 'link', link_path_in_response_body: '@odata.nextLink', response_path: 'value' },
      retries: 3,
    });

    for await (const folders of pages) {
      await nango.batchSave(folders.map(toFolder), 'Folder');
    }

    await nango.trackDeletesEnd('Folder');
  },
});

function toFolder(folder: MailFolder): z.infer<typeof Folder> {
  return {
    id: folder.id,
    name: folder.displayName,
    parent_id: folder.parentFolderId,
    folders: folder.childFolderCount,
    messages: folder.totalItemCount,
    unread: folder.unreadItemCount,
  };
}
