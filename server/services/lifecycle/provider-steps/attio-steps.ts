import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const self = z.object({ workspace_id: z.string() });

export const attioPostConnection: PostConnectionStep = async (context) => {
  const { workspace_id } = await ask(context, 'its workspace', { endpoint: '/v2/self' }, self);
  return { workspace_id };
};
