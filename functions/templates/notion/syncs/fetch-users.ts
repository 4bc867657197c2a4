import { createSync } from 'homeport';
import type * as z from 'zod';
import { User } from '../models.js';

/** https://developers.notion.com/reference/user */
interface NotionUser {
  id: string;
  type: 'person' | 'bot';
  name: string | null;
  avatar_url: string | null;
  person?: { email?: string };
}

/** A full sync: users who left the workspace are marked as deleted. Notion does not list guests. */
export default createSync({
  description: 'Keeps a copy of the people and bots of the workspace',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { User },

  exec: async (nango) => {
    await nango.trackDeletesStart('User');

    // https://developers.notion.com/reference/get-users
    // The catalogue entry defines the cursor and the results.
    const pages = nango.paginate<NotionUser>({ endpoint: '/v1/users', paginate: { limit: 100 }, retries: 3 });

    for await (const users of pages) {
      await nango.batchSave(users.map(toUser), 'User');
    }

    await nango.trackDeletesEnd('User');
  },
});

function toUser(user: NotionUser): z.infer<typeof User> {
  return {
    id: user.id,
    type: user.type,
    name: user.name ?? '',
    email: user.person?.email ?? null,
    avatar_url: user.avatar_url,
  };
}
