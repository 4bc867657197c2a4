import type * as z from 'zod';
import { toIso } from './ask-stripe.js';
import type { Customer } from './models.js';

/** https://docs.stripe.com/api/customers/object */
export interface StripeCustomer {
  id: string;
  name?: string | null;
  email: string | null;
  phone?: string | null;
  description: string | null;
  address?: { country: string | null } | null;
  currency?: string | null;
  balance: number;
  delinquent?: boolean | null;
  metadata: Record<string, string>;
  created: number;
}

export function toCustomer(customer: StripeCustomer): z.infer<typeof Customer> {
  return {
    id: customer.id,
    name: customer.name ?? null,
    email: customer.email,
    phone: customer.phone ?? null,
    description: customer.description,
    country: customer.address?.country ?? null,
    currency: customer.currency ?? null,
    balance: customer.balance,
    is_delinquent: customer.delinquent ?? false,
    metadata: customer.metadata,
    created_at: toIso(customer.created),
  };
}
