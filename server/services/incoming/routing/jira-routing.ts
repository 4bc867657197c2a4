import { routeBody, typeAt } from './body-routing.ts';
import { hmacHeader, webhookSecret } from './signature-checks.ts';
import { textAt } from './webhook-fields.ts';
import type { PropertyTarget } from './webhook-routing.ts';

/** What a webhook may be about. Jira names no site in it, but each of these has an address of its own. */
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

/** Connections made with a password know their site by its subdomain alone. */
function sitesOf(body: unknown): PropertyTarget[] {
  const self = SUBJECTS.map((subject) => textAt(body, `${subject}.self`)).find((address) => address !== undefined);
  const site = self === undefined ? null : URL.parse(self);
  const subdomain = site?.hostname.endsWith(CLOUD_SUFFIX) ? site.hostname.slice(0, -CLOUD_SUFFIX.length) : undefined;
  return [
    { property: 'baseUrl', value: site?.origin },
    { property: 'subdomain', value: subdomain },
  ];
}
