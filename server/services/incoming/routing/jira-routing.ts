import { routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';
import { textAt } from './webhook-fields.ts';
import type { PropertyTarget } from './webhook-routing.ts';

/** Possible subjects of a webhook. Jira does not name the site, but each subject contains its own address. */
const SUBJECTS = [
  'issue',
  'comment',
  'sprint',
  'board',
  'worklog',
  'version',
  'issueLink',
  'project',
  'attachment',
  'issuetype',
  'filter',
  'user',
];
const CLOUD_SUFFIX = '.atlassian.net';

export const jiraWebhookRouting = routeBody({
  signature: hmacHeader({
    header: 'x-hub-signature',
    encoding: 'hex',
    prefix: 'sha256=',
    secrets: webhookSecret,
    when: 'secret-is-set',
  }),
  types: typeAt('webhookEvent'),
  targets: sitesOf,
});

/** Connections with a password know their site only by its subdomain. */
function sitesOf(body: unknown): PropertyTarget[] {
  const self = SUBJECTS.map((subject) => textAt(body, `${subject}.self`)).find((address) => address !== undefined);
  const site = self === undefined ? null : URL.parse(self);
  const subdomain = site?.hostname.endsWith(CLOUD_SUFFIX) ? site.hostname.slice(0, -CLOUD_SUFFIX.length) : undefined;
  return [
    { property: 'baseUrl', value: site?.origin },
    { property: 'subdomain', value: subdomain },
  ];
}
