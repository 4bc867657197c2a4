import {
  describePostConnection,
  type PostConnectionCase,
  type PostConnectionFailure,
} from '../../../test/support/describe-post-connection.ts';
import { type Exchange, tokenWith } from '../../../test/support/step-fixture.ts';

const sites = (...list: Array<{ id: string; url: string; name?: string }>): Exchange => ({
  ask: 'GET https://api.test/oauth/token/accessible-resources',
  response: { body: list },
});
const acme = { id: 's-1', url: 'https://acme.atlassian.net', name: 'Acme Main' };
const acmeTwo = { id: 's-2', url: 'https://acme-two.atlassian.net', name: 'second' };
const myself = (product: 'jira' | 'confluence', cloudId: string, status = 200): Exchange => {
  const path = product === 'jira' ? 'rest/api/3/myself' : 'wiki/rest/api/user/current';
  return {
    ask: `GET https://api.test/ex/${product}/${cloudId}/${path}`,
    response: { status, body: status === 200 ? { accountId: `${product}-me` } : { code: status } },
  };
};

const tenants = (...list: object[]): Exchange => ({
  ask: 'GET https://api.test/connections',
  response: { body: list },
});
const choice = { access_token: tokenWith({ authentication_event_id: 'e-2' }) };

const accounts = (...list: object[]): Exchange => ({
  ask: 'GET https://launchpad.37signals.com/authorization.json',
  response: { body: { identity: { id: 1 }, accounts: list } },
});

const docusign = (...list: object[]): Exchange => ({
  ask: 'GET https://account.docusign.com/oauth/userinfo',
  response: { body: { accounts: list } },
});

const nodes = (status: number): Exchange => ({
  ask: 'GET https://api.test/v1/nodes?page=1&per_page=1',
  response: { status, body: { data: [] } },
});

const cases: PostConnectionCase[] = [
  {
    step: 'jiraPostConnection',
    when: 'the person named a site',
    setting: { config: { subdomain: 'Acme' } },
    exchanges: [sites(acmeTwo, acme), myself('jira', 's-1')],
    patch: { cloudId: 's-1', baseUrl: acme.url, accountId: 'jira-me' },
  },
  {
    step: 'jiraPostConnection',
    when: 'the site is known by its name',
    setting: { config: { subdomain: 'second' } },
    exchanges: [sites(acme, acmeTwo), myself('jira', 's-2')],
    patch: { cloudId: 's-2', baseUrl: acmeTwo.url, accountId: 'jira-me' },
  },
  {
    step: 'confluencePostConnection',
    when: 'no site was named',
    exchanges: [sites(acmeTwo, acme), myself('confluence', 's-2')],
    patch: { cloudId: 's-2', baseUrl: acmeTwo.url, accountId: 'confluence-me' },
  },
  {
    step: 'atlassianPostConnection',
    when: 'the site has only the second product',
    setting: { config: { subdomain: 'elsewhere' } },
    exchanges: [sites(acme), myself('jira', 's-1', 404), myself('confluence', 's-1')],
    patch: { cloudId: 's-1', baseUrl: acme.url, accountId: 'confluence-me' },
  },
  {
    step: 'jiraPostConnection',
    when: 'the person stays unknown',
    exchanges: [sites(acme), myself('jira', 's-1', 403)],
    patch: { cloudId: 's-1', baseUrl: acme.url },
  },
  {
    step: 'xeroPostConnection',
    when: 'there is one tenant',
    exchanges: [tenants({ tenantId: 'x-1', authEventId: 'e-1' })],
    patch: { tenant_id: 'x-1' },
  },
  {
    step: 'xeroPostConnection',
    when: 'there are several tenants',
    setting: { credentials: choice },
    exchanges: [tenants({ tenantId: 'x-1', authEventId: 'e-1' }, { tenantId: 'x-2', authEventId: 'e-2' })],
    patch: { tenant_id: 'x-2' },
  },
  {
    step: 'docusignPostConnection',
    when: 'one account is the default',
    setting: { provider: 'docusign' },
    exchanges: [
      docusign(
        { account_id: 'a-1', base_uri: 'https://na1.docusign.net', is_default: false },
        { account_id: 'a-2', base_uri: 'https://na2.docusign.net', is_default: true },
      ),
    ],
    patch: { accountId: 'a-2', baseUri: 'https://na2.docusign.net' },
  },
  {
    step: 'basecampPostConnection',
    when: 'there is one account',
    exchanges: [accounts({ id: 99, product: 'bc3' })],
    patch: { accounts: [{ id: 99, product: 'bc3' }], accountId: '99' },
  },
  {
    step: 'basecampPostConnection',
    when: 'there are several accounts',
    exchanges: [accounts({ id: 1 }, { id: 2 })],
    patch: { accounts: [{ id: 1 }, { id: 2 }] },
  },
  {
    step: 'basecampPostConnection',
    when: 'the person named an account',
    setting: { config: { accountId: '5' } },
    exchanges: [accounts({ id: 99 })],
    patch: { accounts: [{ id: 99 }] },
  },
  {
    step: 'checkrPartnerPostConnection',
    when: 'nodes are listed',
    exchanges: [nodes(200)],
    patch: { accountHierarchyEnabled: true },
  },
  {
    step: 'checkrPartnerPostConnection',
    when: 'nodes are refused',
    exchanges: [nodes(403)],
    patch: { accountHierarchyEnabled: false },
  },
];

const failures: PostConnectionFailure[] = [
  { step: 'jiraPostConnection', when: 'there is no site', exchanges: [sites()], message: /has no accessible site/ },
  { step: 'xeroPostConnection', when: 'there is no tenant', exchanges: [tenants()], message: /names no organisation/ },
  {
    step: 'xeroPostConnection',
    when: 'no tenant was chosen',
    setting: { credentials: choice },
    exchanges: [tenants({ tenantId: 'x-1' }, { tenantId: 'x-3', authEventId: 'e-3' })],
    message: /names no organisation/,
  },
  { step: 'checkrPartnerPostConnection', when: 'the server is down', exchanges: [nodes(503)], message: /status 503/ },
  { step: 'checkrPartnerPostConnection', when: 'the token is refused', exchanges: [nodes(401)], message: /status 401/ },
];

describePostConnection('steps after connecting that choose among answers', { cases, failures });
