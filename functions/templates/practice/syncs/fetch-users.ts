import { createSync } from 'homeport';
import type * as z from 'zod';
import { User } from '../models.js';

/** A full sync: every run reads all users, and a missing user is marked as deleted. */
export default createSync({
  description: 'Keeps a copy of all users and marks those who left',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { User },

  exec: async (nango) => {
    await nango.trackDeletesStart('User');

    // These settings replace those of the catalogue entry, field by field.
    const pages = nango.paginate<z.infer<typeof User>>({
      endpoint: '/v1/users',
      paginate: {
        type: 'offset',
        offset_name_in_request: 'offset',
        limit_name_in_request: 'limit',
        limit: 25,
        response_path: 'users',
      },
      retries: 3,
    });

    for await (const users of pages) {
      await nango.batchSave(users, 'User');
    }

    // Reached only when every page was read: a run that fails deletes nothing.
    await nango.trackDeletesEnd('User');
  },
});
