import { createSync } from 'homeport';
import { slackPages } from '../ask-slack.js';
import { User } from '../models.js';
import { type SlackUser, toUser } from '../slack-responses.js';

/** A full sync: users who were deactivated or left are marked as deleted. */
export default createSync({
  description: 'Keeps a copy of the people and bots of the workspace',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { User },
  scopes: ['users:read', 'users:read.email'],

  exec: async (nango) => {
    await nango.trackDeletesStart('User');

    // https://docs.slack.dev/reference/methods/users.list
    for await (const members of slackPages<SlackUser>(nango, { method: 'users.list', list: 'members' })) {
      const active = members.filter((member) => !member.deleted);
      await nango.batchSave(active.map(toUser), 'User');
    }

    await nango.trackDeletesEnd('User');
  },
});
