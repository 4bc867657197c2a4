import { createSync } from 'homeport';
import type * as z from 'zod';
import { Organization } from '../models.js';

/** https://developer.zendesk.com/api-reference/ticketing/organizations/organizations/ */
interface ZendeskOrganization {
  id: number;
  name: string;
  domain_names: string[];
  tags: string[];
  notes: string | null;
  external_id: string | null;
  created_at: string;
  updated_at: string;
}

export default createSync({
  description: 'Keeps a copy of all organizations and marks deleted ones',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  scopes: ['organizations:read'],
  models: { Organization },

  exec: async (nango) => {
    await nango.trackDeletesStart('Organization');

    // https://developer.zendesk.com/api-reference/introduction/pagination/#using-cursor-pagination
    const pages = nango.paginate<ZendeskOrganization>({
      endpoint: '/api/v2/organizations.json',
      paginate: {
        // The catalogue entry uses links, Zendesk's older way, which ends after 100 pages.
        type: 'cursor',
        cursor_path_in_response: 'meta.after_cursor',
        cursor_name_in_request: 'page[after]',
        limit_name_in_request: 'page[size]',
        limit: 100,
        response_path: 'organizations',
      },
      retries: 3,
    });

    for await (const organizations of pages) {
      await nango.batchSave(organizations.map(toOrganization), 'Organization');
    }

    await nango.trackDeletesEnd('Organization');
  },
});

function toOrganization(organization: ZendeskOrganization): z.infer<typeof Organization> {
  return {
    id: String(organization.id),
    name: organization.name,
    domain_names: organization.domain_names,
    tags: organization.tags,
    notes: organization.notes,
    external_id: organization.external_id,
    created_at: organization.created_at,
    updated_at: organization.updated_at,
  };
}
