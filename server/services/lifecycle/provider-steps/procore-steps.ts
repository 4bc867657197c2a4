import { z } from 'zod';
import { anyId, ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const companyList = z.tuple([z.object({ id: anyId })], z.unknown());

export const procorePostConnection: PostConnectionStep = async (context) => {
  if (context.connection.connectionConfig['companyId']) return undefined;
  const [company] = await ask(context, 'its companies', { endpoint: '/rest/v1.0/companies' }, companyList);
  // As text, as the connect form writes it.
  return { companyId: String(company.id) };
};
