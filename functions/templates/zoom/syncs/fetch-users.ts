import { createSync } from 'homeport';
import type * as z from 'zod';
import { User } from '../models.js';

/** https://developers.zoom.us/docs/api/users/#tag/users/GET/users */
interface ZoomUser {
  id: string;
  email: string;
  first_name?: string;
  last_name?: string;
  type: number;
  dept?: string;
  timezone?: string;
  created_at?: string;
  last_login_time?: string;
}

const LICENSED = 2;

/** A full sync: users who left the account are marked as deleted. Needs an app that an administrator installs. */
export default createSync({
  description: 'Keeps a copy of the active users of the account and marks those who left',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  // Does not start by itself, because only administrators may list users.
  autoStart: false,
  scopes: ['user:read:list_users:admin'],
  models: { User },

  exec: async (nango) => {
    await nango.trackDeletesStart('User');

    const pages = nango.paginate<ZoomUser>({
      endpoint: '/users',
      params: { status: 'active' },
      paginate: { response_path: 'users', limit: 300 },
      retries: 3,
    });

    for await (const users of pages) {
      await nango.batchSave(users.map(toUser), 'User');
    }

    await nango.trackDeletesEnd('User');
  },
});

function toUser(user: ZoomUser): z.infer<typeof User> {
  return {
    id: user.id,
    email: user.email,
    first_name: user.first_name || null,
    last_name: user.last_name || null,
    is_licensed: user.type === LICENSED,
    department: user.dept || null,
    time_zone: user.timezone || null,
    created_at: user.created_at ?? null,
    last_login_at: user.last_login_time ?? null,
  };
}
