import { createSync } from 'homeport';
import type * as z from 'zod';
import { Drive } from '../models.js';

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/drives */
interface SharedDrive {
  id: string;
  name: string;
  hidden?: boolean;
  createdTime?: string;
}

interface DrivesPage {
  drives: SharedDrive[];
  nextPageToken?: string;
}

/** The shared drives to choose from for `fetch-files`. */
export default createSync({
  description: 'Keeps a copy of the list of shared drives and marks those that the user left',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  scopes: ['https://www.googleapis.com/auth/drive.readonly'],
  models: { Drive },

  exec: async (nango) => {
    await nango.trackDeletesStart('Drive');

    let pageToken: string | undefined;
    do {
      // Not `paginate`, which stops at an empty page: Google may send an empty page in the middle.
      // https://developers.google.com/workspace/drive/api/reference/rest/v3/drives/list
      const { data }: { data: DrivesPage } = await nango.get<DrivesPage>({
        endpoint: '/drive/v3/drives',
        params: { pageSize: 100, fields: 'nextPageToken,drives(id,name,hidden,createdTime)', pageToken },
        retries: 3,
      });
      await nango.batchSave(data.drives.map(toDrive), 'Drive');
      pageToken = data.nextPageToken;
    } while (pageToken);

    await nango.trackDeletesEnd('Drive');
  },
});

function toDrive(drive: SharedDrive): z.infer<typeof Drive> {
  return {
    id: drive.id,
    name: drive.name,
    is_hidden: drive.hidden ?? false,
    created_at: drive.createdTime ?? null,
  };
}
