import { createSync } from 'homeport';
import type * as z from 'zod';
import { Label } from '../models.js';

/** The labels to choose from for `fetch-messages` and `label-message`. */
export default createSync({
  description: 'Keeps a copy of all labels of the mailbox and marks deleted ones',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  scopes: ['https://www.googleapis.com/auth/gmail.labels'],
  models: { Label },

  exec: async (nango) => {
    await nango.trackDeletesStart('Label');

    // There is only one page. https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.labels/list
    const { data } = await nango.get<{ labels: Array<z.infer<typeof Label>> }>({
      endpoint: '/gmail/v1/users/me/labels',
      retries: 3,
    });
    await nango.batchSave(
      data.labels.map(({ id, name, type }) => ({ id, name, type })),
      'Label',
    );

    await nango.trackDeletesEnd('Label');
  },
});
