import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const whoami = z.object({ id: z.string(), apiHosts: z.object({ dataRegion: z.string() }) });

export const sophosCentralPostConnection: PostConnectionStep = async (context) => {
  const request = { baseUrl: 'https://api.central.sophos.com', endpoint: '/whoami/v1' };
  const { id, apiHosts } = await ask(context, 'its tenant', request, whoami);
  return { tenantId: id, dataRegion: apiHosts.dataRegion };
};
