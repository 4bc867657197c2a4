import * as z from 'zod';

export const Contact = z.object({
  id: z.string(),
  email: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  phone: z.string().nullable(),
  company: z.string().nullable(),
  job_title: z.string().nullable(),
  lifecycle_stage: z.string().nullable(),
  owner_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const Company = z.object({
  id: z.string(),
  name: z.string().nullable(),
  domain: z.string().nullable(),
  industry: z.string().nullable(),
  phone: z.string().nullable(),
  city: z.string().nullable(),
  country: z.string().nullable(),
  employees: z.number().nullable(),
  owner_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** HubSpot answers only a few properties by default. These are the ones that are needed. */
export const CONTACT_PROPERTIES = [
  'email',
  'firstname',
  'lastname',
  'phone',
  'company',
  'jobtitle',
  'lifecyclestage',
  'hubspot_owner_id',
  'lastmodifieddate',
];

/** An object of the CRM as HubSpot sends it. Every property is a text, or null if it is empty. */
export interface CrmObject {
  id: string;
  properties: Record<string, string | null>;
  createdAt: string;
  updatedAt: string;
}

export function toContact({ id, properties, createdAt, updatedAt }: CrmObject): z.infer<typeof Contact> {
  return {
    id,
    email: properties['email'] ?? null,
    first_name: properties['firstname'] ?? null,
    last_name: properties['lastname'] ?? null,
    phone: properties['phone'] ?? null,
    company: properties['company'] ?? null,
    job_title: properties['jobtitle'] ?? null,
    lifecycle_stage: properties['lifecyclestage'] ?? null,
    owner_id: properties['hubspot_owner_id'] ?? null,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
