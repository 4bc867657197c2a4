import { createAction } from 'homeport';
import * as z from 'zod';
import { readSlack } from '../ask-slack.js';
import { User } from '../models.js';
import { type SlackUser, toUser } from '../slack-responses.js';

const Address = z.object({ email: z.email() });

/** For an unknown address the caller gets Slack's own code, `users_not_found`. */
export default createAction({
  description: 'Finds the person with an e-mail address',
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  input: Address,
  output: User,
  scopes: ['users:read', 'users:read.email'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Address, input });

    // https://docs.slack.dev/reference/methods/users.lookupByEmail
    const { user } = await readSlack<{ user: SlackUser }>(nango, 'users.lookupByEmail', { email: data.email });

    return toUser(user);
  },
});
