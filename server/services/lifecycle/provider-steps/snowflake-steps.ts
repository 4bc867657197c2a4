import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const resultSet = z.object({ data: z.tuple([z.tuple([z.string()])]) });

export const snowflakePostConnection: PostConnectionStep = async (context) => {
  const request = {
    method: 'POST' as const,
    endpoint: '/api/v2/statements',
    json: { statement: 'SELECT CURRENT_USER()' },
  };
  const { data } = await ask(context, 'its user', request, resultSet);
  return { username: data[0][0] };
};
