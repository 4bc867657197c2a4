import { z } from 'zod';
import { ask, isSuccess, stepFailure } from './step-answer.ts';
import type { PostConnectionStep, StepContext } from './step-context.ts';

const siteList = z.array(z.object({ id: z.string(), url: z.string(), name: z.string().optional() }));
const person = z.object({ accountId: z.string() });
type Site = z.infer<typeof siteList>[number];

const jiraMyself = (cloudId: string): string => `/ex/jira/${encodeURIComponent(cloudId)}/rest/api/3/myself`;
const confluenceMyself = (cloudId: string): string =>
  `/ex/confluence/${encodeURIComponent(cloudId)}/wiki/rest/api/user/current`;

export const jiraPostConnection: PostConnectionStep = (context) => findSite(context, [jiraMyself]);

export const confluencePostConnection: PostConnectionStep = (context) => findSite(context, [confluenceMyself]);

/** The government cloud and service accounts may have either product. */
export const atlassianPostConnection: PostConnectionStep = (context) =>
  findSite(context, [jiraMyself, confluenceMyself]);

async function findSite(context: StepContext, profiles: Array<(cloudId: string) => string>) {
  const sites = await ask(context, 'its sites', { endpoint: '/oauth/token/accessible-resources' }, siteList);
  const site = chooseSite(sites, context.connection.connectionConfig['subdomain']);
  if (!site)
    throw stepFailure(
      `The account of ${context.provider} has no accessible site. Ask its administrator, then connect again.`,
    );
  const accountId = await findAccount(
    context,
    profiles.map((path) => path(site.id)),
  );
  return { cloudId: site.id, baseUrl: site.url, ...(accountId === undefined ? {} : { accountId }) };
}

/** The site that the person named, else the first one. */
function chooseSite(sites: Site[], subdomain: unknown): Site | undefined {
  const wanted = typeof subdomain === 'string' ? subdomain.toLowerCase() : '';
  return sites.find((site) => wanted !== '' && isNamed(site, wanted)) ?? sites[0];
}

function isNamed({ url, name }: Site, wanted: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === wanted || host.startsWith(`${wanted}.`) || name?.toLowerCase() === wanted;
}

/** The site is useful without the person, whose account needs a scope that not every app requests. */
async function findAccount(context: StepContext, endpoints: string[]): Promise<string | undefined> {
  for (const endpoint of endpoints) {
    const answer = await context.request({ endpoint });
    const parsed = isSuccess(answer) ? person.safeParse(answer.json) : undefined;
    if (parsed?.success) return parsed.data.accountId;
  }
  return undefined;
}
