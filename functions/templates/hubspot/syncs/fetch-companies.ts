import { createSync } from 'homeport';
import type * as z from 'zod';
import { Company, type CrmObject } from '../models.js';

const COMPANY_PROPERTIES = [
  'name',
  'domain',
  'industry',
  'phone',
  'city',
  'country',
  'numberofemployees',
  'hubspot_owner_id',
];

/** A full sync: a missing company was deleted or archived. */
export default createSync({
  description: 'Keeps a copy of all companies and marks deleted ones',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every 6 hours',
  autoStart: true,
  scopes: ['crm.objects.companies.read'],
  models: { Company },

  exec: async (nango) => {
    await nango.trackDeletesStart('Company');

    // https://developers.hubspot.com/docs/api/crm/companies. The catalogue entry defines the cursor and the results.
    const pages = nango.paginate<CrmObject>({
      endpoint: '/crm/v3/objects/companies',
      params: { properties: COMPANY_PROPERTIES },
      paginate: { limit: 100 },
      retries: 3,
    });

    for await (const companies of pages) {
      await nango.batchSave(companies.map(toCompany), 'Company');
    }

    // Reached only when every page was read: a run that fails deletes nothing.
    await nango.trackDeletesEnd('Company');
  },
});

function toCompany({ id, properties, createdAt, updatedAt }: CrmObject): z.infer<typeof Company> {
  const employees = properties['numberofemployees'];
  return {
    id,
    name: properties['name'] ?? null,
    domain: properties['domain'] ?? null,
    industry: properties['industry'] ?? null,
    phone: properties['phone'] ?? null,
    city: properties['city'] ?? null,
    country: properties['country'] ?? null,
    employees: employees ? Number(employees) : null,
    owner_id: properties['hubspot_owner_id'] ?? null,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
