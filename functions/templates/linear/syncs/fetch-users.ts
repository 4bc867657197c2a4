import { createSync } from 'homeport';
import { linearPages } from '../ask-linear.js';
import { User } from '../models.js';

/** Suspended users are left out unless the query asks for them. */
const USERS = `
  query Users($after: String) {
    users(first: 100, after: $after) {
      nodes { id name displayName email admin guest avatarUrl createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

interface LinearUser {
  id: string;
  name: string;
  displayName: string;
  email: string;
  admin: boolean;
  guest: boolean;
  avatarUrl: string | null;
  createdAt: string;
}

/** A full sync: users who left the workspace are marked as deleted. */
export default createSync({
  description: 'Keeps a copy of the active people of the workspace',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { User },
  scopes: ['read'],

  exec: async (nango) => {
    await nango.trackDeletesStart('User');

    // https://linear.app/developers/graphql
    for await (const users of linearPages<LinearUser>(nango, { name: 'users', query: USERS })) {
      await nango.batchSave(
        users.map((user) => ({
          id: user.id,
          name: user.name,
          display_name: user.displayName,
          email: user.email,
          is_admin: user.admin,
          is_guest: user.guest,
          avatar_url: user.avatarUrl,
          created_at: user.createdAt,
        })),
        'User',
      );
    }

    await nango.trackDeletesEnd('User');
  },
});
